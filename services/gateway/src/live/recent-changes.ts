import { isAdmin } from '@tollgate/contracts';
import { type LiveKind, liveKinds } from '@tollgate/contracts/api/live';

/** A change that concerns one user, or without `userId` everybody who may see this kind. */
export interface Change {
  kind: LiveKind;
  userId?: number;
}

/** A user who may be told of changes. */
export interface Listener {
  userId: number;
  role: number;
}

/** Which changes a user is told of: their own and the public status; administrators also get changes that concern no single user. */
export function concerns({ kind, userId }: Change, listener: Listener): boolean {
  if (userId !== undefined) return userId === listener.userId;
  return kind === 'status' || isAdmin(listener.role);
}

/** All kinds that a user can be told of. */
const kindsFor = ({ role }: Listener): readonly LiveKind[] =>
  isAdmin(role) ? liveKinds : liveKinds.filter((kind) => kind !== 'channels');

const MAX_ENTRIES = 20_000;

/**
 * The time of the last change per kind and user, so that a console that was disconnected fetches only what it missed.
 * Complete from `since` on; for earlier times every kind counts as changed.
 */
export class RecentChanges {
  /** Ordered by time of the change, oldest first. */
  private readonly changedAt = new Map<string, number>();

  constructor(
    private since: number,
    private readonly maxEntries = MAX_ENTRIES,
  ) {}

  note(change: Change, at: number): void {
    const key = keyOf(change);
    this.changedAt.delete(key);
    this.changedAt.set(key, at);
    for (const [oldest, then] of this.changedAt) {
      if (this.changedAt.size <= this.maxEntries) break;
      this.changedAt.delete(oldest);
      this.since = Math.max(this.since, then);
    }
  }

  /** Called when changes may have been missed: nothing before `at` is known completely any more. */
  forget(at: number): void {
    this.changedAt.clear();
    this.since = at;
  }

  /** The kinds that have changed, or may have changed, for this listener since the moment. */
  after(moment: number, listener: Listener): LiveKind[] {
    const kinds = kindsFor(listener);
    if (moment <= this.since) return [...kinds];
    return kinds.filter((kind) =>
      [{ kind }, { kind, userId: listener.userId }].some(
        (change) => concerns(change, listener) && (this.changedAt.get(keyOf(change)) ?? -Infinity) >= moment,
      ),
    );
  }
}

const keyOf = ({ kind, userId }: Change): string => (userId === undefined ? kind : `${kind}:${userId}`);

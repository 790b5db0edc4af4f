import { isAdmin } from '@tollgate/contracts';
import { type LiveKind, liveKinds } from '@tollgate/contracts/api/live';

/** Something changed for one person, or, without one, for everybody who may know of the kind. */
export interface Change {
  kind: LiveKind;
  userId?: number;
}

/** Whoever may hear of changes. */
export interface Listener {
  userId: number;
  role: number;
}

/** The one rule of who hears what: one's own affairs, the public status, and the rest by the rights of an administrator. */
export function concerns({ kind, userId }: Change, listener: Listener): boolean {
  if (userId !== undefined) return userId === listener.userId;
  return kind === 'status' || isAdmin(listener.role);
}

/** All that somebody ever hears of. */
const kindsFor = ({ role }: Listener): readonly LiveKind[] =>
  isAdmin(role) ? liveKinds : liveKinds.filter((kind) => kind !== 'channels');

const MAX_PEOPLE = 20_000;

/**
 * When each kind last changed for whom, so that a console that was away asks only for what it missed. It remembers whole answers
 * from `since` on; about anything earlier it says that everything may have changed.
 */
export class RecentChanges {
  /** The least recently changed first. */
  private readonly changedAt = new Map<string, number>();

  constructor(
    private since: number,
    private readonly maxPeople = MAX_PEOPLE,
  ) {}

  note(change: Change, at: number): void {
    const key = keyOf(change);
    this.changedAt.delete(key);
    this.changedAt.set(key, at);
    for (const [oldest, then] of this.changedAt) {
      if (this.changedAt.size <= this.maxPeople) break;
      this.changedAt.delete(oldest);
      this.since = Math.max(this.since, then);
    }
  }

  /** What was heard before may not be all that happened. */
  forget(at: number): void {
    this.changedAt.clear();
    this.since = at;
  }

  /** The kinds that changed for a listener after a moment, or may have. */
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

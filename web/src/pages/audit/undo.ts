import type { AuditEntry } from '@tollgate/contracts/api/audit';
import type { UpdateChannel } from '@tollgate/contracts/api/channel';
import type { UpdateOption } from '@tollgate/contracts/api/option';
import { isOptionKey, isSecret } from '@tollgate/contracts/options/index';

/** The call that takes a change back, refused by the server when somebody changed the same since. */
export type Undo = { kind: 'option'; body: UpdateOption } | { kind: 'channel'; body: UpdateChannel };
export type NoUndo = 'kind' | 'secret' | 'long' | 'old' | 'state';

const HIDDEN = '***';
const AUTO_DISABLED = 3;
const isHidden = (value: unknown): boolean => typeof value === 'string' && value.startsWith(HIDDEN);

function optionUndo(key: string, before: Record<string, unknown>, after: Record<string, unknown>): Undo | NoUndo {
  if (!isOptionKey(key)) return 'kind';
  if (isSecret(key)) return 'secret';
  const { value } = before;
  const { revision } = after;
  if (typeof value !== 'string' || typeof revision !== 'number') return 'old';
  if (value.startsWith('sha256:')) return 'long';
  return { kind: 'option', body: { key, value, revision } };
}

/** As the call takes it: lists as texts with commas, switches as 1 and 0. */
function wireOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'boolean' ? Number(value) : value;
}

function channelUndo(id: number, before: Record<string, unknown>, after: Record<string, unknown>): Undo | NoUndo {
  if (!Number.isSafeInteger(id) || Object.keys(before).length === 0) return 'kind';
  if ([...Object.values(before), ...Object.values(after)].some(isHidden)) return 'secret';
  if (before['status'] === AUTO_DISABLED) return 'state';
  const fields = Object.fromEntries(Object.entries(before).map(([name, value]) => [name, wireOf(value)]));
  return { kind: 'channel', body: { id, ...fields, expected: after } };
}

/** Only options and single channels are taken back, and only where the entry shows all of what was before. */
export function undoOf({ action, subject, before, after }: AuditEntry): Undo | NoUndo {
  const [kind, ...rest] = subject.split(':');
  const name = rest.join(':');
  if (action === 'option-update' && kind === 'option') return optionUndo(name, before ?? {}, after ?? {});
  if (action === 'channel-updated' && kind === 'channel') return channelUndo(Number(name), before ?? {}, after ?? {});
  return 'kind';
}

export interface Difference {
  name: string;
  before?: string;
  after?: string;
}

const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);
/** Tells which state of an option it was, not what it was. */
const ASIDE = 'revision';

/** What differs, field by field, in the order of the later state. */
export function differencesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): Difference[] {
  const names = new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})]);
  return [...names]
    .filter((name) => name !== ASIDE)
    .map((name) => ({ name, before: textOf(before?.[name]), after: textOf(after?.[name]) }))
    .filter((row) => row.before !== row.after);
}

import type { AuditEntry } from '@tollgate/contracts/api/audit';
import type { UpdateChannel } from '@tollgate/contracts/api/channel';
import type { UpdateOption } from '@tollgate/contracts/api/option';
import { isOptionKey, isSecret } from '@tollgate/contracts/options/index';
import type { Difference } from '../../components/basics/differences.js';
import { entriesOf, shownOf } from '../../components/basics/differences.js';

/** The call that undoes a change. The server refuses it if the same thing was changed again since. */
export type Undo = { kind: 'option'; body: UpdateOption } | { kind: 'channel'; body: UpdateChannel };
type NoUndo = 'kind' | 'secret' | 'long' | 'old' | 'state';

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

/** Converts an audited value to its form on the wire: lists as comma-separated texts, booleans as 1 and 0. */
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

/**
 * The call that undoes an entry, or why there is none. Only changes of options and of single channels can be undone,
 * and only if the entry holds the complete former values.
 */
export function undoOf({ action, subject, before, after }: AuditEntry): Undo | NoUndo {
  const [kind, ...rest] = subject.split(':');
  const name = rest.join(':');
  if (action === 'option-update' && kind === 'option') return optionUndo(name, before ?? {}, after ?? {});
  if (action === 'channel-updated' && kind === 'channel') return channelUndo(Number(name), before ?? {}, after ?? {});
  return 'kind';
}

/** The revision numbers the states of an option; it is no value that anybody changed. */
const IGNORED = 'revision';

/** The fields that differ, in the order of the later state; of maps the entries. */
export function differencesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): Difference[] {
  const names = new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})]);
  return [...names]
    .filter((name) => name !== IGNORED)
    .map((name) => ({ name, before: shownOf(before?.[name]), after: shownOf(after?.[name]) }))
    .filter((row) => row.before !== row.after)
    .flatMap(entriesOf);
}

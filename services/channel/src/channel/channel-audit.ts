import { type ChannelFields, fieldNames, wireNameOf } from './channel-fields.js';
import type { Channel } from './channel.entity.js';

/** Free JSON may contain credentials (a proxy's password, a header), so its content is not written to the audit log. */
const opaque = new Set<keyof ChannelFields>(['paramOverride', 'setting']);

/** Maximum of channels that one audit entry names; the count beside them is always complete. */
const MAX_NAMED = 100;
/** Of all named channels together, because the models of one alone may be 64 Ki characters. */
const MAX_NAMED_CHARACTERS = 32_000;

export interface Change {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

export type ChannelState = ChannelFields & Pick<Channel, 'status'>;

export const stateOf = (channel: Channel): ChannelState =>
  ({
    ...Object.fromEntries(fieldNames.map((field) => [field, channel[field]])),
    status: channel.status,
  }) as ChannelState;

const shown = (field: keyof ChannelFields, state: ChannelState): unknown =>
  opaque.has(field) ? (state[field] === '' ? '' : '***') : state[field];

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** The fields in which the two states differ. */
export const changedFields = (before: ChannelState, after: ChannelState): (keyof ChannelFields)[] =>
  fieldNames.filter((field) => !same(before[field], after[field]));

/** The differences of two states by wire names, without secrets: a changed key is mentioned, but not shown. */
export function describeChange(before: ChannelState, after: ChannelState, isKeyChanged = false): Change {
  const change: Change = { before: {}, after: {} };
  for (const field of changedFields(before, after)) {
    change.before[wireNameOf(field)] = shown(field, before);
    change.after[wireNameOf(field)] = opaque.has(field) && after[field] !== '' ? '*** (changed)' : shown(field, after);
  }
  if (before.status !== after.status) {
    change.before.status = before.status;
    change.after.status = after.status;
  }
  if (isKeyChanged) change.after.key = '*** (changed)';
  return change;
}

/** Channels of an audit entry, each with what is said about it, as far as they fit; the first is always there. */
export function namedChannels<Named extends { id: number }>(
  all: readonly Named[],
): { channels: Named[]; count: number } {
  const channels: Named[] = [];
  let characters = 0;
  for (const one of all.slice(0, MAX_NAMED)) {
    characters += JSON.stringify(one).length;
    if (channels.length > 0 && characters > MAX_NAMED_CHARACTERS) break;
    channels.push(one);
  }
  return { channels, count: all.length };
}

/** A value in its wire form: lists joined by commas, booleans as 1 and 0. */
function wireOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'boolean' ? Number(value) : value;
}

/**
 * Wire names of the fields that have changed since the given audit entry or reply. Fields that those mask count as
 * changed.
 */
export function changedSince(state: ChannelState, expected: Record<string, unknown>): string[] {
  const shownNow = describeChannel(state);
  const sentNow: Record<string, unknown> = {
    ...Object.fromEntries(fieldNames.map((field) => [wireNameOf(field), wireOf(state[field])])),
    status: state.status,
  };
  const isAs = (name: string, value: unknown): boolean =>
    Object.hasOwn(shownNow, name) && (same(shownNow[name], value) || same(sentNow[name], value));
  return Object.keys(expected).filter((name) => !isAs(name, expected[name]));
}

/** A whole channel as it appears in the audit log. */
export const describeChannel = (state: ChannelState): Record<string, unknown> => ({
  ...Object.fromEntries(fieldNames.map((field) => [wireNameOf(field), shown(field, state)])),
  status: state.status,
});

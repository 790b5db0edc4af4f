import { pastedText } from '@tollgate/contracts';
import { splitNames, type createChannelSchema, type updateChannelSchema } from '@tollgate/contracts/api/channel';
import type { z } from 'zod';
import type { Channel } from './channel.entity.js';

export type NewChannel = z.output<typeof createChannelSchema>;
export type ChannelPatch = z.output<typeof updateChannelSchema>;

/** What a form decides about a channel. Key and status have ways of their own. */
export type ChannelFields = Pick<
  Channel,
  | 'name'
  | 'type'
  | 'organization'
  | 'baseUrl'
  | 'other'
  | 'models'
  | 'groups'
  | 'modelMapping'
  | 'statusCodeMapping'
  | 'paramOverride'
  | 'setting'
  | 'autoBan'
  | 'testModel'
  | 'maxInputTokens'
  | 'priority'
  | 'weight'
  | 'tag'
  | 'keyMode'
>;

export const DEFAULT_GROUP = 'default';
const XUNFEI = 18;
const XUNFEI_VERSION = 'v2.1';

type Wire = Omit<ChannelPatch, 'id' | 'key' | 'status' | 'expected'>;

const textOf = (text: string | null | undefined): string => text?.trim() ?? '';

/** One row per field: its name on the wire, and how a value that was sent is stored. */
const readers = {
  name: ['name', (wire: Wire) => textOf(wire.name)],
  type: ['type', (wire: Wire) => wire.type ?? 0],
  organization: ['openai_organization', (wire: Wire) => textOf(wire.openai_organization)],
  baseUrl: ['base_url', (wire: Wire) => textOf(wire.base_url).replace(/\/+$/, '')],
  other: ['other', (wire: Wire) => textOf(wire.other)],
  models: ['models', (wire: Wire) => splitNames(wire.models ?? '')],
  groups: ['group', (wire: Wire) => groupsOf(wire.group ?? '')],
  modelMapping: ['model_mapping', (wire: Wire) => textOf(wire.model_mapping)],
  statusCodeMapping: ['status_code_mapping', (wire: Wire) => textOf(wire.status_code_mapping)],
  paramOverride: ['param_override', (wire: Wire) => textOf(wire.param_override)],
  setting: ['setting', (wire: Wire) => textOf(wire.setting)],
  autoBan: ['auto_ban', (wire: Wire) => wire.auto_ban !== 0],
  testModel: ['test_model', (wire: Wire) => textOf(wire.test_model)],
  maxInputTokens: ['max_input_tokens', (wire: Wire) => wire.max_input_tokens ?? 0],
  priority: ['priority', (wire: Wire) => wire.priority ?? 0],
  weight: ['weight', (wire: Wire) => wire.weight ?? 0],
  tag: ['tag', (wire: Wire) => textOf(wire.tag)],
  keyMode: ['multi_key_mode', (wire: Wire) => wire.multi_key_mode ?? ''],
} as const satisfies { [Field in keyof ChannelFields]: readonly [keyof Wire, (wire: Wire) => ChannelFields[Field]] };

/** Its wire name, for audit entries. */
export const wireNameOf = (field: keyof ChannelFields): string => readers[field][0];
export const fieldNames = Object.keys(readers) as (keyof ChannelFields)[];

/** Every channel is in a group; an emptied list means the default one. */
function groupsOf(text: string): string[] {
  const groups = splitNames(text);
  return groups.length > 0 ? groups : [DEFAULT_GROUP];
}

/** The stored form of what was sent; null and '' clear a field, an absent one is not part of the result. */
export function fieldsOf(wire: Wire): Partial<ChannelFields> {
  const sent = fieldNames.filter((field) => wire[readers[field][0]] !== undefined);
  return Object.fromEntries(sent.map((field) => [field, readers[field][1](wire)]));
}

/** All fields of a new channel, those that were not sent at their defaults. */
export const newFieldsOf = (wire: NewChannel): ChannelFields =>
  Object.fromEntries(fieldNames.map((field) => [field, readers[field][1](wire)])) as unknown as ChannelFields;

/** What an empty `other` stands for. */
export const otherOf = ({ type, other }: Pick<ChannelFields, 'type' | 'other'>): string =>
  type === XUNFEI && other === '' ? XUNFEI_VERSION : other;

/** One key per line, each for a channel of its own, unless the type's key is one document. */
export function keysOf(text: string, isDocument: boolean): string[] {
  if (isDocument) return [pastedText(text)];
  return text
    .split('\n')
    .map(pastedText)
    .filter((line) => line !== '');
}

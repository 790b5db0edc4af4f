import { pastedText } from '@tollgate/contracts';
import { splitNames, type createChannelSchema, type updateChannelSchema } from '@tollgate/contracts/api/channel';
import type { z } from 'zod';
import type { Channel } from './channel.entity.js';

export type NewChannel = Omit<z.output<typeof createChannelSchema>, 'status'> & { status?: 1 | 2 };
export type ChannelPatch = z.output<typeof updateChannelSchema>;

/** The fields that a form sets. Key and status are changed separately. */
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

const DEFAULT_GROUP = 'default';
const XUNFEI = 18;
const XUNFEI_VERSION = 'v2.1';

type Wire = Omit<ChannelPatch, 'id' | 'key' | 'status' | 'expected'>;

const textOf = (text: string | null | undefined): string => text?.trim() ?? '';

/** For each field its wire name, and the conversion of a wire value to the stored one. */
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

export const wireNameOf = (field: keyof ChannelFields): string => readers[field][0];
export const fieldNames = Object.keys(readers) as (keyof ChannelFields)[];

/** Every channel is in at least one group; an empty list means the default group. */
function groupsOf(text: string): string[] {
  const groups = splitNames(text);
  return groups.length > 0 ? groups : [DEFAULT_GROUP];
}

/**
 * Converts the fields that were sent. Null and '' clear a field; a field that was not sent is missing from the result.
 */
export function fieldsOf(wire: Wire): Partial<ChannelFields> {
  const sent = fieldNames.filter((field) => wire[readers[field][0]] !== undefined);
  return Object.fromEntries(sent.map((field) => [field, readers[field][1](wire)]));
}

/** All fields of a new channel; those that were not sent have their defaults. */
export const newFieldsOf = (wire: NewChannel): ChannelFields =>
  Object.fromEntries(fieldNames.map((field) => [field, readers[field][1](wire)])) as unknown as ChannelFields;

/** Replaces an empty `other` by the type's default. */
export const otherOf = ({ type, other }: Pick<ChannelFields, 'type' | 'other'>): string =>
  type === XUNFEI && other === '' ? XUNFEI_VERSION : other;

/** Splits the text into one key per line, each for its own channel, unless a key of this type is one document. */
export function keysOf(text: string, isDocument: boolean): string[] {
  if (isDocument) return [pastedText(text)];
  return text
    .split('\n')
    .map(pastedText)
    .filter((line) => line !== '');
}

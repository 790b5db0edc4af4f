import type { Channel, CreateChannel, FetchModels, UpdateChannel } from '@tollgate/contracts/api/channel';
import type { KeyMode } from '@tollgate/contracts/channel-settings';
import { findChannelType, speechlessChannelTypes } from '@tollgate/contracts/channel-types';
import type { Control, UseFormGetValues, UseFormSetValue } from 'react-hook-form';
import { changesOf } from '../../../components/forms/changes-of.js';
import { splitNames } from '../channel-facts.js';

/** The form of the drawer: lists as arrays, all other values as typed. */
export interface ChannelForm {
  type: string;
  name: string;
  base_url: string;
  key: string;
  batch: boolean;
  multi_key_mode: KeyMode;
  other: string;
  groups: string[];
  models: string[];
  model_mapping: string;
  tag: string;
  priority: string;
  weight: string;
  setting: string;
  param_override: string;
  openai_organization: string;
  test_model: string;
  auto_ban: boolean;
  status_code_mapping: string;
}

/** The parts of the form that a field of the drawer gets. */
export interface FormParts {
  control: Control<ChannelForm>;
  setValue: UseFormSetValue<ChannelForm>;
  getValues: UseFormGetValues<ChannelForm>;
}

export interface ChannelFieldsProps extends FormParts {
  /** `undefined` for a new channel. */
  id?: number;
  /** The original of a copy. */
  copyFrom?: number;
  onAddressLeft: () => void;
}

/** The stored channel whose key an empty field stands for: the one being edited, or the original of a copy. */
export const storedId = ({ id, copyFrom }: Pick<ChannelFieldsProps, 'id' | 'copyFrom'>): number | undefined =>
  id ?? copyFrom;

export const newChannel = (): ChannelForm => ({
  type: '1',
  name: '',
  base_url: '',
  key: '',
  batch: false,
  multi_key_mode: '',
  other: '',
  groups: ['default'],
  models: [...(findChannelType(1)?.models ?? [])],
  model_mapping: '',
  tag: '',
  priority: '0',
  weight: '0',
  setting: '',
  param_override: '',
  openai_organization: '',
  test_model: '',
  auto_ban: true,
  status_code_mapping: '',
});

const modeOf = (channel: Channel): KeyMode => channel.multi_key_mode ?? '';

/**
 * The key starts empty, because the server never sends it to a browser. An empty key leaves the stored one unchanged.
 */
export const formOf = (channel: Channel): ChannelForm => ({
  type: String(channel.type),
  name: channel.name,
  base_url: channel.base_url ?? '',
  key: '',
  batch: false,
  multi_key_mode: modeOf(channel),
  other: channel.other,
  groups: splitNames(channel.group),
  models: splitNames(channel.models),
  model_mapping: channel.model_mapping ?? '',
  tag: channel.tag ?? '',
  priority: String(channel.priority ?? 0),
  weight: String(channel.weight ?? 0),
  setting: channel.setting ?? '',
  param_override: channel.param_override ?? '',
  openai_organization: channel.openai_organization ?? '',
  test_model: channel.test_model ?? '',
  auto_ban: (channel.auto_ban ?? 1) === 1,
  status_code_mapping: channel.status_code_mapping ?? '',
});

/** Whether channels of this type may have several keys; the same rule as on the server. */
export const takesKeys = (type: number): boolean =>
  findChannelType(type)?.keyIsJson !== true && !(speechlessChannelTypes as readonly number[]).includes(type);

const SPARK = 18;

/** The fields in their form on the wire, without the key. */
function toFields(form: ChannelForm) {
  const type = Number(form.type);
  const other = form.other.trim();
  return {
    type,
    name: form.name.trim(),
    base_url: form.base_url.trim().replace(/\/+$/, ''),
    other: type === SPARK && other === '' ? (findChannelType(SPARK)?.other?.default ?? '') : other,
    group: form.groups.join(','),
    models: form.models.join(','),
    model_mapping: form.model_mapping.trim(),
    tag: form.tag.trim(),
    priority: Number.parseInt(form.priority, 10) || 0,
    weight: Math.max(0, Number.parseInt(form.weight, 10) || 0),
    setting: form.setting.trim(),
    param_override: form.param_override.trim(),
    openai_organization: form.openai_organization.trim(),
    test_model: form.test_model.trim(),
    auto_ban: (form.auto_ban ? 1 : 0) as 0 | 1,
    status_code_mapping: form.status_code_mapping.trim(),
    multi_key_mode: takesKeys(Number(form.type)) ? form.multi_key_mode : ('' as const),
  };
}

type Hidden = Pick<ChannelForm, 'base_url' | 'other' | 'openai_organization'>;
const NOTHING: Hidden = { base_url: '', other: '', openai_organization: '' };

/** With these values in the fields that the form does not show for the type, whatever was typed there for another type. */
function withHidden(form: ChannelForm, hidden: Hidden): ChannelForm {
  const row = findChannelType(Number(form.type));
  return {
    ...form,
    base_url: row?.address === 'none' ? hidden.base_url : form.base_url,
    other: row?.other ? form.other : hidden.other,
    openai_organization: row?.organization ? form.openai_organization : hidden.openai_organization,
  };
}

/**
 * Hidden values that are stored stay until another type is chosen; changing a hidden address would need the key again.
 */
const withStored = (form: ChannelForm, seen: ChannelForm): ChannelForm =>
  withHidden(form, form.type === seen.type ? seen : NOTHING);

/** The request for the models of the upstream that the form names. */
export const toFetchModels = (form: ChannelForm): FetchModels => {
  const { type, base_url, other, setting } = toFields(withHidden(form, NOTHING));
  return { key: form.key.trim(), type, base_url, other, setting };
};

/**
 * The request that creates the channel. In batch mode each line is a key of its own; otherwise a pasted key with line
 * breaks stays one key. `original`: the values that a copy began with.
 */
export const toCreate = (form: ChannelForm, original?: ChannelForm): CreateChannel => {
  const json = findChannelType(Number(form.type))?.keyIsJson === true;
  const key = form.batch || json ? form.key.trim() : form.key.replace(/\s*\n\s*/g, '').trim();
  const whole = original ? withStored(form, original) : withHidden(form, NOTHING);
  return { ...toFields(whole), key, ...(!form.batch && { multi_key_mode: '' }) };
};

/** Only the fields that differ from the values that were loaded. */
export const toUpdate = (form: ChannelForm, seen: ChannelForm, id: number): UpdateChannel => ({
  id,
  ...changesOf(toFields(withStored(form, seen)), toFields(seen)),
  ...(form.key.trim() !== '' && { key: form.key.trim() }),
});

export const countKeys = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;

/** Adds comma-separated names; those that the list already has are returned as `repeated`. */
export function addNames(models: string[], typed: string): { models: string[]; repeated: string[] } {
  const names = [...new Set(splitNames(typed.replaceAll('\uff0c', ',')))];
  const fresh = names.filter((name) => !models.includes(name));
  return { models: [...models, ...fresh], repeated: names.filter((name) => models.includes(name)) };
}

import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { AbortPolicy } from '@tollgate/contracts/channel-settings';
import { abortPolicies, keyModes, MAX_CHANNEL_NUMBER } from '@tollgate/contracts/channel-settings';
import type { ChannelTypeRow } from '@tollgate/contracts/channel-types';
import { channelTypes, defaultModelsOf, findChannelType } from '@tollgate/contracts/channel-types';
import { textLimits } from '@tollgate/contracts/text-limits';
import { useRef } from 'react';
import type { Control } from 'react-hook-form';
import { useFormState, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { TextOf } from '../../app/i18n/text-keys.js';
import { useListGroupNamesQuery } from '../../api/catalogue.api.js';
import { Callout } from '../../components/feedback/callout.js';
import { FormSelect, FormSwitch, FormText } from '../../components/forms/form-fields.js';
import { FormList } from '../../components/forms/form-list.js';
import { FormJson } from '../../components/json/form-json.js';
import { NativeField } from '../../components/forms/native-field.js';
import type { ChannelFieldsProps, ChannelForm, FormParts } from './channel-form.js';
import { countKeys, storedId, takesKeys } from './channel-form.js';
import { policyOf, settingFault, statusFault, withPolicy } from './channel-settings.js';
import { ModelsField } from './models-field.js';
import { useKeyNeeded } from './use-key-needed.js';

const rows = Object.entries(channelTypes) as [string, ChannelTypeRow][];

const useType = (control: Control<ChannelForm>) => {
  const number = useWatch({ control, name: 'type' });
  return { number: Number(number), row: findChannelType(Number(number)) };
};

/** The type is chosen first, because it decides which other fields are shown. */
function TypeField({ control, setValue, getValues, id }: ChannelFieldsProps) {
  const { t } = useTranslation('channel');
  const { row } = useType(control);
  const options = rows
    .map(([value, { slug, retired }]) => {
      const label = t(`type.${slug}` as TextOf<'channel'>);
      return { value, label: retired ? t('form.retiredType', { label }) : label };
    })
    .sort((one, other) => Number(one.value) - Number(other.value));
  const before = useRef('');
  /** A list that somebody made is kept; that of a new channel is replaced while it is still that of the type before. */
  const fill = () => {
    const models = getValues('models');
    const isUntouched = id === undefined && models.join() === defaultModelsOf(Number(before.current)).join();
    if (models.length > 0 && !isUntouched) return;
    setValue('models', [...defaultModelsOf(Number(getValues('type')))], { shouldDirty: true });
  };
  return (
    <>
      <div onChangeCapture={() => (before.current = getValues('type'))} onChange={() => queueMicrotask(fill)}>
        <FormSelect control={control} name="type" label={t('form.type')} options={options} />
      </div>
      {row?.banner && (
        <Callout severity={row.banner === 'dify' ? 'info' : 'warning'}>{t(`form.banner.${row.banner}`)}</Callout>
      )}
      {row?.retired && <Callout severity="warning">{t('form.banner.retired')}</Callout>}
    </>
  );
}

function AddressField({ control, onAddressLeft }: ChannelFieldsProps) {
  const { t } = useTranslation('channel');
  const { row } = useType(control);
  if (!row || row.address === 'none') return null;
  const required = row.address !== 'optional';
  return (
    <div onBlur={onAddressLeft}>
      <FormText
        control={control}
        name="base_url"
        label={t(`form.address.${row.address}`)}
        placeholder={row.baseUrl || t(`form.addressHint.${row.address}`)}
        helperText={row.address === 'optional' ? t('form.addressOptional') : undefined}
        check={(text) => (required && text.trim() === '' ? t('form.required') : undefined)}
        inputMode="url"
        spellCheck={false}
      />
    </div>
  );
}

const regionTemplate = '{\n  "default": "us-central1",\n  "claude-3-5-sonnet-20240620": "europe-west1"\n}';

/** One region for all models, or a JSON object with a region for each model. */
function RegionField({ control, setValue, isNew }: FormParts & { isNew: boolean }) {
  const { t } = useTranslation('channel');
  const problemOf = (text: string): string | undefined => {
    const problem = isNew ? regionProblem(text) : undefined;
    return problem && t(`form.${problem}`);
  };
  return (
    <div>
      <FormText
        control={control}
        name="other"
        label={t('form.other.region')}
        placeholder={t('form.otherHint.region')}
        helperText={t('form.regionHelp')}
        check={problemOf}
        multiline
        rows={4}
        mono
        spellCheck={false}
      />
      <Button size="small" onClick={() => setValue('other', regionTemplate, { shouldDirty: true })}>
        {t('form.regionTemplate')}
      </Button>
    </div>
  );
}

/** The same check as on the server. */
function regionProblem(text: string): 'badRegion' | 'badRegionJson' | 'noRegion' | undefined {
  const regions = text.trim();
  if (regions === '') return 'noRegion';
  if (!regions.startsWith('{')) return undefined;
  try {
    const { default: usual } = JSON.parse(regions) as Record<string, unknown>;
    return typeof usual === 'string' && usual !== '' ? undefined : 'badRegion';
  } catch {
    return 'badRegionJson';
  }
}

function OtherField(props: ChannelFieldsProps) {
  const { t } = useTranslation('channel');
  const { control, id } = props;
  const { row } = useType(control);
  const { dirtyFields } = useFormState({ control });
  // As on the server, an invalid field of a stored channel is no obstacle to other changes.
  const isNew = id === undefined || dirtyFields.type === true || dirtyFields.other === true;
  if (!row?.other) return null;
  const { field, default: fallback, required } = row.other;
  if (field === 'region') return <RegionField {...props} isNew={isNew} />;
  return (
    <FormText
      control={control}
      name="other"
      label={t(`form.other.${field}`)}
      placeholder={fallback ?? t(`form.otherHint.${field}`)}
      check={(text) => (required && isNew && text.trim() === '' ? t('form.required') : undefined)}
      spellCheck={false}
    />
  );
}

/** The form of a key of this type, as a placeholder. Types with a general hint in words have none. */
const keyShape = (row: ChannelTypeRow | undefined): string | undefined =>
  row && /^[\w|.-]+$/.test(row.keyHint) ? row.keyHint : undefined;

/** What the lines of the key field are: keys of one channel, a channel each, or (`undefined`) a single key. */
function useKeyLines(control: Control<ChannelForm>, id: number | undefined): 'keys' | 'channels' | undefined {
  const { number, row } = useType(control);
  const [batch, mode] = useWatch({ control, name: ['batch', 'multi_key_mode'] });
  if (mode !== '' && takesKeys(number) && (batch || id !== undefined)) return 'keys';
  return batch && row?.keyIsJson !== true ? 'channels' : undefined;
}

function useKeyHint(props: ChannelFieldsProps): string | undefined {
  const { t } = useTranslation('channel');
  const { control, id } = props;
  const { row } = useType(control);
  const key = useWatch({ control, name: 'key' });
  const lines = useKeyLines(control, id);
  const shape = keyShape(row);
  const stored = storedId(props);
  const needed = useKeyNeeded(control, stored);
  const kept = id === undefined ? 'form.keyCopied' : 'form.keyStored';
  const parts = [
    stored !== undefined && t(needed ? 'form.keyNeeded' : kept),
    shape && t('form.keyShape', { shape }),
    lines === 'channels' && t('form.keyCount', { count: countKeys(key) }),
    lines === 'keys' && key.trim() !== '' && t('form.keysCount', { count: countKeys(key) }),
  ];
  return parts.filter(Boolean).join(' · ') || undefined;
}

/**
 * Whether several keys create several channels or one channel; in the second case, how a key is chosen for each
 * request.
 */
function KeyModeField({ control, id }: ChannelFieldsProps) {
  const { t } = useTranslation('channel');
  const { number } = useType(control);
  const batch = useWatch({ control, name: 'batch' });
  if (!takesKeys(number) || (id === undefined && !batch)) return null;
  const options = keyModes.map((value) => ({
    value,
    label: t(value === '' ? (id === undefined ? 'form.keyMode.each' : 'form.keyMode.one') : `form.keyMode.${value}`),
  }));
  return <FormSelect control={control} name="multi_key_mode" label={t('form.keyMode.label')} options={options} />;
}

function KeyField(props: ChannelFieldsProps) {
  const { t } = useTranslation('channel');
  const { control, id } = props;
  const { row } = useType(control);
  const lines = useKeyLines(control, id);
  const json = row?.keyIsJson === true;
  const stored = storedId(props);
  const needed = useKeyNeeded(control, stored) || stored === undefined;
  const many = lines !== undefined || json;
  const general = t(json ? 'form.keyJson' : lines ? 'form.keyLines' : 'form.keyPlain');
  const placeholder = (!many && keyShape(row)) || general;
  return (
    <div>
      <FormText
        control={control}
        name="key"
        label={t('form.key')}
        multiline={many}
        rows={many ? 5 : undefined}
        mono
        placeholder={placeholder}
        helperText={useKeyHint(props)}
        check={(text) =>
          needed && text.trim() === '' ? t(stored === undefined ? 'form.nameAndKey' : 'form.keyNeeded') : undefined
        }
        autoComplete="off"
        spellCheck={false}
      />
      {id === undefined && !json && <FormSwitch control={control} name="batch" label={t('form.batch')} />}
    </div>
  );
}

/** First section: the type, address and keys of the upstream. */
export function BasicFields(props: ChannelFieldsProps) {
  const { t } = useTranslation('channel');
  const { control, id } = props;
  const { row } = useType(control);
  return (
    <>
      <TypeField {...props} />
      <FormText
        control={control}
        name="name"
        label={t('form.name')}
        check={(text) => (text.trim() === '' ? t('form.nameAndKey') : undefined)}
        limit={textLimits.channelName}
        autoFocus={id === undefined}
        autoComplete="off"
      />
      <AddressField {...props} />
      <OtherField {...props} />
      <KeyField {...props} />
      <KeyModeField {...props} />
      {row?.organization && (
        <FormText control={control} name="openai_organization" label={t('form.organization')} placeholder="org-..." />
      )}
    </>
  );
}

export function ModelFields(props: ChannelFieldsProps) {
  const { t } = useTranslation('channel');
  const { control } = props;
  const models = useWatch({ control, name: 'models' });
  return (
    <>
      <ModelsField {...props} />
      <FormText
        control={control}
        name="test_model"
        label={t('form.testModel')}
        placeholder={t('form.testModelHint')}
        limit={textLimits.modelName}
        check={(text) => (text.trim() !== '' && !models.includes(text.trim()) ? t('form.testModelUnknown') : undefined)}
      />
    </>
  );
}

export function RoutingFields({ control }: FormParts) {
  const { t } = useTranslation('channel');
  const { data: groups = [] } = useListGroupNamesQuery();
  const max = MAX_CHANNEL_NUMBER;
  const integer = (bad: string, big: string, least?: { min: number; small: string }) => (text: string) => {
    if (!/^-?\d+$/.test(text.trim())) return bad;
    if (Number(text) > max) return big;
    return least && Number(text) < least.min ? least.small : undefined;
  };
  return (
    <>
      <FormList
        control={control}
        name="groups"
        label={t('form.groups')}
        options={groups}
        free
        helperText={t('form.groupsHint')}
        check={(value) => (value.length === 0 ? t('form.required') : undefined)}
      />
      <Stack direction="row" spacing={2}>
        <FormText
          control={control}
          name="priority"
          label={t('form.priority')}
          inputMode="numeric"
          check={integer(t('form.badPriority'), t('form.bigPriority', { max }), {
            min: -999,
            small: t('form.smallPriority'),
          })}
          helperText={t('form.priorityHint')}
        />
        <FormText
          control={control}
          name="weight"
          label={t('form.weight')}
          inputMode="numeric"
          check={integer(t('form.badWeight'), t('form.bigWeight', { max }))}
          helperText={t('form.weightHint')}
        />
      </Stack>
      <FormText control={control} name="tag" label={t('form.tag')} limit={textLimits.tag} />
      <FormSwitch control={control} name="auto_ban" label={t('form.autoBan')} helperText={t('form.autoBanHint')} />
    </>
  );
}

/** The abort policy is stored in the extra settings. This field edits that text, so that the two cannot differ. */
function PolicyField({ control, setValue }: Pick<FormParts, 'control' | 'setValue'>) {
  const { t } = useTranslation('channel');
  const setting = useWatch({ control, name: 'setting' });
  const policy = policyOf(setting);
  const options = abortPolicies.map((value) => ({ value, label: t(`form.policy.${value}`) }));
  return (
    <NativeField
      label={t('form.policy.label')}
      value={policy ?? ''}
      denied={policy === undefined ? t('form.policy.unreadable') : undefined}
      options={policy === undefined ? [{ value: '', label: '—' }] : options}
      onChange={(value) => setValue('setting', withPolicy(setting, value as AbortPolicy), { shouldDirty: true })}
      helperText={policy && t(`form.policy.${policy}Hint`)}
    />
  );
}

const mappingTemplate = '{\n  "gpt-3.5-turbo": "gpt-3.5-turbo-0125"\n}';

export function AdvancedFields({ control, setValue }: FormParts) {
  const { t } = useTranslation('channel');
  return (
    <>
      <PolicyField control={control} setValue={setValue} />
      <FormJson
        control={control}
        name="model_mapping"
        label={t('form.mapping')}
        template={mappingTemplate}
        invalid={t('form.badMapping')}
        helperText={t('form.mappingHint')}
      />
      <FormJson
        control={control}
        name="param_override"
        label={t('form.override')}
        placeholder={'{\n  "temperature": 0\n}'}
        invalid={t('form.badJson')}
        helperText={t('form.overrideHint')}
      />
      <FormJson
        control={control}
        name="status_code_mapping"
        label={t('form.statusMapping')}
        template={'{\n  "400": "500"\n}'}
        invalid={t('form.badJson')}
        check={(json) => {
          const fault = statusFault(json);
          return fault && t(`form.badStatus.${fault}`);
        }}
        helperText={t('form.statusMappingHint')}
      />
      <FormJson
        control={control}
        name="setting"
        label={t('form.setting')}
        template={'{\n  "force_format": true\n}'}
        invalid={t('form.badJson')}
        check={(json) => {
          const fault = settingFault(json);
          return fault && t(`form.badSetting.${fault}`);
        }}
        helperText={t('form.settingHint')}
      />
      <div>
        <Button size="small" onClick={() => setValue('setting', '', { shouldDirty: true })}>
          {t('form.clearSetting')}
        </Button>
      </div>
    </>
  );
}

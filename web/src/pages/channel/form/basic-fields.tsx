import Button from '@mui/material/Button';
import type { ChannelTypeRow } from '@tollgate/contracts/channel-types';
import { channelTypes, defaultModelsOf } from '@tollgate/contracts/channel-types';
import { textLimits } from '@tollgate/contracts/text-limits';
import { useRef } from 'react';
import { useFormState } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { TextOf } from '../../../app/i18n/text-keys.js';
import { Callout } from '../../../components/feedback/callout.js';
import { FormSelect, FormText } from '../../../components/forms/form-fields.js';
import type { ChannelFieldsProps, FormParts } from './channel-form.js';
import { KeyField, KeyModeField } from './key-fields.js';
import { useType } from './use-type.js';

const rows = Object.entries(channelTypes) as [string, ChannelTypeRow][];

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

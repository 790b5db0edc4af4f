import { keyModes } from '@tollgate/contracts/channel-settings';
import type { ChannelTypeRow } from '@tollgate/contracts/channel-types';
import type { Control } from 'react-hook-form';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FormSelect, FormSwitch, FormText } from '../../../components/forms/form-fields.js';
import type { ChannelFieldsProps, ChannelForm } from './channel-form.js';
import { countKeys, storedId, takesKeys } from './channel-form.js';
import { useKeyNeeded } from './use-key-needed.js';
import { useType } from './use-type.js';

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
export function KeyModeField({ control, id }: ChannelFieldsProps) {
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

export function KeyField(props: ChannelFieldsProps) {
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

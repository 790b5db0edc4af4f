import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { AbortPolicy } from '@tollgate/contracts/channel-settings';
import { abortPolicies, MAX_CHANNEL_NUMBER } from '@tollgate/contracts/channel-settings';
import { textLimits } from '@tollgate/contracts/text-limits';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useListGroupNamesQuery } from '../../../api/catalogue.api.js';
import { FormSwitch, FormText } from '../../../components/forms/form-fields.js';
import { FormList } from '../../../components/forms/form-list.js';
import { FormJson } from '../../../components/json/form-json.js';
import { NativeField } from '../../../components/forms/native-field.js';
import type { ChannelFieldsProps, FormParts } from './channel-form.js';
import { policyOf, settingFault, statusFault, withPolicy } from './channel-settings.js';
import { ModelsField } from './models-field.js';
import { mappingTemplate } from './mapping-template.js';

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

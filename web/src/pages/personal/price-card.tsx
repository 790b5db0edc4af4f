import type { UserSetting } from '@tollgate/contracts/api/user';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { useDraft } from '../../components/use-draft.js';
import { FormSwitch } from '../../components/form-fields.js';
import { withAcceptUnset } from './notify-form.js';
import { useUpdateSettingMutation } from '../../api/self.api.js';
import type { DirtyReport } from './setting-form.js';
import { SettingForm, anew, following, useNothingChanged, useReport } from './setting-form.js';

/** Whether models without a price may be called at all. */
export function PriceCard({ setting, onDirty }: { setting: UserSetting } & DirtyReport) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const nothingChanged = useNothingChanged();
  const [update, { isLoading, error, reset: forgetError }] = useUpdateSettingMutation();
  const values = { accept: setting.accept_unset_model_ratio_model ?? false };
  const form = useForm({ values, ...following });
  const { control, handleSubmit, formState, reset } = form;
  useDraft(form, { id: 'price' });
  useReport('price', formState.isDirty, onDirty);
  const save = handleSubmit(async (form) => {
    if (form.accept === values.accept) {
      nothingChanged();
      return;
    }
    if ((await update(withAcceptUnset(setting, form.accept))).error) return;
    reset(form, anew);
    dispatch(toastShown({ severity: 'success', key: 'personal:price.saved' }));
  });
  return (
    <SettingForm
      title={t('price.title')}
      dirty={formState.isDirty}
      busy={isLoading}
      error={error}
      onSubmit={save}
      onReset={() => (reset(values, anew), forgetError())}
    >
      <FormSwitch control={control} name="accept" label={t('price.accept')} helperText={t('price.hint')} />
    </SettingForm>
  );
}

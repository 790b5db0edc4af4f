import type { UserSetting } from '@tollgate/contracts/api/user';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { useConflict } from '../../components/forms/use-conflict.js';
import { useEditForm } from '../../components/forms/use-edit-form.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { FormSwitch } from '../../components/forms/form-fields.js';
import { seenOf, withAcceptUnset } from './notify-form.js';
import { useSaveSetting } from './use-save-setting.js';
import type { DirtyReport } from './setting-form.js';
import { SettingForm, useNothingChanged, useReport } from './setting-form.js';

const names = { accept_unset_model_ratio_model: 'accept' } as const;
const blank = { accept: false };
const formOf = ({ accept_unset_model_ratio_model: accept = false }: UserSetting) => ({ accept });

/** The switch that allows calls of models without a price. */
export function PriceCard({ setting, onDirty }: { setting: UserSetting } & DirtyReport) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const nothingChanged = useNothingChanged();
  const { save, query, isLoading, error, forget } = useSaveSetting(setting);
  const edit = useEditForm({ query, blank, formOf, id: 'price' });
  const { control, handleSubmit, formState } = edit.form;
  const refusal = useRefusedFields(edit.form, error, names);
  useReport('price', formState.isDirty, onDirty);
  const submit = handleSubmit(async ({ accept }) => {
    const { accept: seen } = edit.seen();
    if (accept === seen) {
      nothingChanged();
      return;
    }
    const refusal = await save({
      over: (stored) => withAcceptUnset(stored, accept),
      seen: (stored) => ({
        ...seenOf(stored),
        ...(formOf(stored).accept !== seen && { accept_unset_model_ratio_model: seen }),
      }),
    });
    if (refusal) {
      await conflict.look(refusal);
      return;
    }
    edit.saved({ accept }, (await edit.fresh()).form ?? { accept });
    dispatch(toastShown({ severity: 'success', key: 'personal:price.saved' }));
  });
  const conflict = useConflict({ edit, labels: { accept: t('price.accept') }, error, reset: forget, submit });
  return (
    <SettingForm
      title={t('price.title')}
      dirty={formState.isDirty}
      busy={isLoading}
      error={refusal}
      conflict={conflict.notice}
      onSubmit={submit}
      onReset={() => (edit.show(formOf(setting)), forget())}
    >
      <FormSwitch control={control} name="accept" label={t('price.accept')} helperText={t('price.hint')} />
    </SettingForm>
  );
}

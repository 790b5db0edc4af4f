import Box from '@mui/material/Box';
import type { UpdateSelf, User } from '@tollgate/contracts/api/user';
import { lengthFault, textLimits } from '@tollgate/contracts/text-limits';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { FormText } from '../../components/forms/form-fields.js';
import { useEditForm } from '../../components/forms/use-edit-form.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { useGetSelfQuery, useUpdateSelfMutation } from '../../api/self.api.js';
import type { DirtyReport } from './setting-form.js';
import { SettingForm, useNothingChanged, useReport } from './setting-form.js';

const blank = { username: '', displayName: '' };
const formOf = (user: User) => ({ username: user.username, displayName: user.display_name });

interface NameFieldsProps {
  control: Control<typeof blank>;
  /** The stored name, which may be longer than a new one. */
  stored: string;
}

function NameFields({ control, stored }: NameFieldsProps) {
  const { t } = useTranslation('personal');
  const check = (text: string) => {
    if (text.trim() === '') return t('profile.noUsername');
    return text.includes('@') ? t('profile.noAt') : undefined;
  };
  return (
    <Box
      sx={{
        display: 'grid',
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
        gap: 2.5,
        alignItems: 'start',
      }}
    >
      <FormText
        control={control}
        name="username"
        label={t('profile.username')}
        check={check}
        limit={lengthFault(stored, textLimits.username) ? textLimits.setupUsername : textLimits.username}
        helperText={t('profile.usernameHint', { max: textLimits.username.most })}
        autoComplete="username"
      />
      <FormText
        control={control}
        name="displayName"
        label={t('profile.displayName')}
        limit={textLimits.displayName}
        autoComplete="nickname"
      />
    </Box>
  );
}

/** The user's names; only changed fields are sent. */
export function ProfileCard({ user, onDirty }: { user: User } & DirtyReport) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const nothingChanged = useNothingChanged();
  const [update, { isLoading, error, reset: forgetError }] = useUpdateSelfMutation();
  const { refetch } = useGetSelfQuery();
  const edit = useEditForm({ query: { data: user, refetch }, blank, formOf, id: 'profile' });
  const { control, handleSubmit, formState } = edit.form;
  const refusal = useRefusedFields(edit.form, error);
  useReport('profile', formState.isDirty, onDirty);
  const save = handleSubmit(async (form) => {
    const seen = edit.seen();
    const [username, displayName] = [form.username.trim(), form.displayName.trim()];
    const change: UpdateSelf = {
      ...(username !== seen.username && { username }),
      ...(displayName !== seen.displayName && { display_name: displayName }),
    };
    if (Object.keys(change).length === 0) {
      nothingChanged();
      return;
    }
    if ((await update(change)).error) return;
    edit.saved(form, (await edit.fresh()).form ?? { username, displayName });
    dispatch(toastShown({ severity: 'success', key: 'personal:profile.saved' }));
  });
  return (
    <SettingForm
      title={t('profile.title')}
      dirty={formState.isDirty}
      busy={isLoading}
      error={refusal}
      onSubmit={save}
      onReset={() => (edit.show(formOf(user)), forgetError())}
    >
      <NameFields control={control} stored={user.username} />
    </SettingForm>
  );
}

import { textLimits } from '@tollgate/contracts/text-limits';
import { useState } from 'react';
import type { Control, FieldPath } from 'react-hook-form';
import { useController, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { CodeField } from '../../components/forms/code-field.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { PasswordField } from '../../components/forms/password-field.js';
import { lengthProblem } from '../../components/forms/text-problem.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { isApiError } from '../../api/api-error.js';
import { useUpdateSelfMutation } from '../../api/self.api.js';

const names = { original_password: 'original', password: 'fresh' } as const;

interface PasswordForm {
  code: string;
  original: string;
  fresh: string;
  again: string;
}

interface SecretProps {
  control: Control<PasswordForm>;
  name: FieldPath<PasswordForm>;
  label: string;
  hint?: string;
  autoFocus?: boolean;
  check?: (value: string, form: PasswordForm) => string | undefined;
}

function Secret({ control, name, label, hint, autoFocus, check }: SecretProps) {
  const rules = { validate: (value: string, form: PasswordForm) => check?.(value, form) ?? true };
  const { field, fieldState } = useController({ control, name, rules });
  return (
    <PasswordField
      label={label}
      name={name}
      value={field.value}
      onChange={field.onChange}
      onBlur={field.onBlur}
      inputRef={field.ref}
      autoFocus={autoFocus}
      autoComplete={name === 'original' ? 'current-password' : 'new-password'}
      error={Boolean(fieldState.error)}
      helperText={fieldState.error?.message || hint}
    />
  );
}

function Code({ control }: { control: Control<PasswordForm> }) {
  const { t } = useTranslation('personal');
  const { field, fieldState } = useController({ control, name: 'code' });
  return (
    <CodeField
      label={t('factors.code')}
      code={field.value}
      onCode={field.onChange}
      inputRef={field.ref}
      error={Boolean(fieldState.error)}
      helperText={fieldState.error?.message}
      autoFocus
    />
  );
}

/** True from the first refusal that asks for a code until the dialog is closed. */
function useAsksCode(refused: unknown): boolean {
  const [asked, setAsked] = useState(false);
  if (!asked && isApiError(refused) && refused.code === 'code-needed') setAsked(true);
  return asked;
}

/**
 * Changing the password needs the current one, or a code if the account has none, so that nobody can take over an
 * account from an unlocked browser.
 */
export function PasswordDialog({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const [update, { isLoading, error }] = useUpdateSelfMutation();
  const form = useForm<PasswordForm>({ defaultValues: { code: '', original: '', fresh: '', again: '' } });
  const { control, handleSubmit } = form;
  const refusal = useRefusedFields(form, error, names);
  const asksCode = useAsksCode(error);
  const title = t(hasPassword ? 'security.password' : 'security.setPassword');
  const checkOriginal = (text: string) => (text === '' ? t('form.required') : undefined);
  const checkFresh = (text: string) => {
    const problem = lengthProblem(text, textLimits.password);
    return problem && t(problem.key, { ...problem.params });
  };
  const submit = handleSubmit(async ({ code, original, fresh }) => {
    const proof = hasPassword ? { original_password: original } : code !== '' && { code };
    const reply = await update({ ...proof, password: fresh });
    if (reply.error) return;
    dispatch(toastShown({ severity: 'success', key: 'personal:security.changed' }));
    onClose();
  });
  return (
    <FormDialog title={title} submitLabel={title} busy={isLoading} error={refusal} onSubmit={submit} onClose={onClose}>
      {hasPassword && (
        <Secret control={control} name="original" label={t('security.original')} check={checkOriginal} autoFocus />
      )}
      {asksCode && <Code control={control} />}
      <Secret
        control={control}
        name="fresh"
        label={t('security.new')}
        hint={t('security.newHint')}
        autoFocus={!hasPassword}
        check={checkFresh}
      />
      <Secret
        control={control}
        name="again"
        label={t('security.confirm')}
        check={(again, { fresh }) => (again === fresh ? undefined : t('security.mismatch'))}
      />
    </FormDialog>
  );
}

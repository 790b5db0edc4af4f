import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { SetupStatus } from '@tollgate/contracts/api/setup';
import type { SyntheticEvent } from 'react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Card } from '../../components/layout/card.js';
import { Field } from '../../components/forms/field.js';
import { PasswordField } from '../../components/forms/password-field.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { ErrorState } from '../../components/feedback/states.js';
import { ModeCards } from './mode-cards.js';
import type { SetupErrors, SetupForm, SetupProblem } from './setup-form.js';
import { setupErrors } from './setup-form.js';
import { useGetSetupQuery } from '../../api/setup.api.js';
import { useInitialize } from './use-initialize.js';
import { Callout } from '../../components/feedback/callout.js';
import { Refusal } from '../../components/feedback/refusal.js';

const blank: SetupForm = { username: '', password: '', confirmPassword: '', usageMode: 'external', setupToken: '' };

function DatabaseWarning() {
  const { t } = useTranslation('setup');
  return (
    <Callout severity="warning" title={t('database.title')}>
      <p>{t('database.persistence')}</p>
      <p>{t('database.production')}</p>
    </Callout>
  );
}

type Refused = Pick<ReturnType<typeof useRefusedInputs<keyof SetupForm>>, 'field'>;

interface SetupFieldsProps extends Refused {
  form: SetupForm;
  errors: SetupErrors;
  onChange: (change: Partial<SetupForm>) => void;
}

function TokenField({ form, errors, field, onChange }: SetupFieldsProps) {
  const { t } = useTranslation('setup');
  return (
    <Card title={t('token.title')}>
      <Stack spacing={2}>
        <Callout severity="info">{t('token.why')}</Callout>
        <Field
          {...field('setupToken', errors.setupToken && t(errors.setupToken.key), t('token.where'))}
          label={t('token.label')}
          value={form.setupToken}
          onChange={(event) => onChange({ setupToken: event.target.value })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          mono
        />
      </Stack>
    </Card>
  );
}

function AdminFields({ form, errors, field, onChange, isFirst }: SetupFieldsProps & { isFirst: boolean }) {
  const { t } = useTranslation('setup');
  const help = (problem: SetupProblem | undefined) => problem && t(problem.key, { ...problem.params });
  return (
    <Stack spacing={2}>
      <Field
        {...field('username', help(errors.username))}
        label={t('admin.username')}
        placeholder={t('admin.usernameHint')}
        value={form.username}
        onChange={(event) => onChange({ username: event.target.value })}
        autoComplete="username"
        autoFocus={isFirst}
        autoCapitalize="none"
        spellCheck={false}
      />
      <PasswordField
        {...field('password', help(errors.password))}
        label={t('admin.password')}
        placeholder={t('admin.passwordHint')}
        value={form.password}
        onChange={(event) => onChange({ password: event.target.value })}
        autoComplete="new-password"
      />
      <PasswordField
        {...field('confirmPassword', help(errors.confirmPassword))}
        label={t('admin.confirm')}
        placeholder={t('admin.confirmHint')}
        value={form.confirmPassword}
        onChange={(event) => onChange({ confirmPassword: event.target.value })}
        autoComplete="new-password"
      />
    </Stack>
  );
}

function SetupWizard({ setup }: { setup: SetupStatus }) {
  const { t } = useTranslation('setup');
  const [form, setForm] = useState(blank);
  const [errors, setErrors] = useState<SetupErrors>({});
  const formRef = useRef<HTMLFormElement>(null);
  const { initialize, busy, done, error } = useInitialize();
  const { field, rest } = useRefusedInputs(error, form);
  const needs = { admin: !setup.root_init, token: setup.token_required === true };

  const change = (part: Partial<SetupForm>) => {
    const next = { ...form, ...part };
    setForm(next);
    // After a submit with errors the fields are validated at every keystroke.
    if (Object.keys(errors).length > 0) setErrors(setupErrors(next, needs));
  };
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    const found = setupErrors(form, needs);
    setErrors(found);
    const [first] = Object.keys(found);
    if (first) formRef.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
    else await initialize(form, needs.admin);
  };
  return (
    <Stack component="form" spacing={2} ref={formRef} onSubmit={submit} noValidate>
      {setup.database_type === 'sqlite' && <DatabaseWarning />}
      {needs.token && <TokenField form={form} errors={errors} field={field} onChange={change} />}
      <Card title={t('admin.title')}>
        {needs.admin ? (
          <AdminFields form={form} errors={errors} field={field} onChange={change} isFirst={!needs.token} />
        ) : (
          <Callout severity="info">{t('admin.exists')}</Callout>
        )}
      </Card>
      <Card title={t('system.title')}>
        <ModeCards value={form.usageMode} onChange={(usageMode) => change({ usageMode })} />
      </Card>
      {rest != null && <Refusal error={rest} fallback={t('error.failed')} />}
      {done && (
        <Callout severity="success" role="status">
          {t('done')}
        </Callout>
      )}
      <BusyButton
        type="submit"
        variant="contained"
        size="large"
        busy={busy || done}
        sx={{ alignSelf: { sm: 'flex-start' } }}
      >
        {t('submit')}
      </BusyButton>
    </Stack>
  );
}

export function SetupPage() {
  const { t } = useTranslation('setup');
  const { data, error, refetch } = useGetSetupQuery();
  return (
    <Box sx={{ width: '100%', maxWidth: 800, mx: 'auto', px: 2, py: { xs: 3, sm: 5 } }}>
      <Typography variant="h5" component="h1" tabIndex={-1}>
        {t('title')}
      </Typography>
      {data && (
        <Typography sx={{ color: 'text.secondary', mb: 3 }}>{t(data.root_init ? 'purposeGoOn' : 'purpose')}</Typography>
      )}
      {data && <SetupWizard setup={data} />}
      {error && <ErrorState title={t('error.status')} error={error} retry={() => void refetch()} />}
    </Box>
  );
}

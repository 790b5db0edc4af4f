import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { SyntheticEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router-dom';
import { signedIn } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { toastShown } from '../../app/slices/toasts.js';
import { readStored, writeStored } from '../../app/stored.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { useBotCheck } from '../../components/sign-in/bot-check.js';
import { Callout } from '../../components/feedback/callout.js';
import { DeniableButton } from '../../components/feedback/deniable-button.js';
import { EntryCard } from '../../components/layout/entry-card.js';
import { ProviderButtons } from '../../components/sign-in/provider-buttons.js';
import { isSecondStep, SECOND_STEP_PATH, type SignedIn } from '../../components/sign-in/second-step.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { Field } from '../../components/forms/field.js';
import { PasswordField } from '../../components/forms/password-field.js';
import type { RegisterErrors, RegisterForm } from './register-form.js';
import { registerErrors } from './register-form.js';
import { useRegisterMutation, useSendCodeMutation } from '../../api/session.api.js';
import { useCountdown } from '../../components/basics/use-countdown.js';

const AFF_KEY = 'aff';
const CODE_WAIT_SECONDS = 30;
const blank: RegisterForm = { username: '', password: '', password2: '', email: '', code: '' };

const names = { verification_code: 'code' } as const;

type Refused = Pick<ReturnType<typeof useRefusedInputs<keyof RegisterForm>>, 'field'>;

interface FieldsProps extends Refused {
  form: RegisterForm;
  errors: RegisterErrors;
  onChange: (part: Partial<RegisterForm>) => void;
  check: ReturnType<typeof useBotCheck>;
}

function useHelp({ errors, field }: Pick<FieldsProps, 'errors' | 'field'>) {
  const { t } = useTranslation('register');
  return (name: keyof RegisterForm) => {
    const problem = errors[name];
    return field(name, problem && t(problem.key, { ...problem.params }));
  };
}

/**
 * The email fields. The wait before another code begins when the server has accepted the request, not when the button
 * is pressed.
 */
function EmailFields({ form, errors, field, onChange, check }: FieldsProps) {
  const { t } = useTranslation('register');
  const dispatch = useAppDispatch();
  const help = useHelp({ errors, field });
  const [send, { isLoading, error }] = useSendCodeMutation();
  const asked = useRefusedInputs(error, { email: form.email });
  const shown = help('email');
  const refused = asked.field('email', shown.error ? String(shown.helperText) : undefined);
  const [left, start] = useCountdown();
  const ask = async () => {
    if (check.problem) {
      dispatch(toastShown({ severity: 'error', key: check.problem }));
      return;
    }
    const reply = await send({ email: form.email.trim(), turnstile: check.token });
    check.used();
    if (reply.error) return;
    start(CODE_WAIT_SECONDS);
    dispatch(toastShown({ severity: 'success', key: 'register:codeSent' }));
  };
  return (
    <>
      <Field
        label={t('email')}
        type="email"
        autoComplete="email"
        value={form.email}
        onChange={(event) => onChange({ email: event.target.value })}
        {...refused}
        inputRef={(input) => (shown.inputRef(input), refused.inputRef(input))}
        end={
          <DeniableButton
            size="small"
            onClick={() => void ask()}
            busy={isLoading}
            denied={left > 0 ? t('again', { left }) : form.email.trim() === '' ? t('error.email') : undefined}
            sx={{ whiteSpace: 'nowrap' }}
          >
            {left > 0 ? t('again', { left }) : t('getCode')}
          </DeniableButton>
        }
      />
      {asked.rest != null && <Refusal error={asked.rest} />}
      <Field
        label={t('code')}
        autoComplete="one-time-code"
        value={form.code}
        onChange={(event) => onChange({ code: event.target.value })}
        {...help('code')}
      />
    </>
  );
}

function Fields({ byEmail, ...props }: FieldsProps & { byEmail: boolean }) {
  const { t } = useTranslation('register');
  const { form, onChange } = props;
  const help = useHelp(props);
  return (
    <>
      <Field
        label={t('username')}
        placeholder={t('usernameHint')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        value={form.username}
        onChange={(event) => onChange({ username: event.target.value })}
        {...help('username')}
      />
      <PasswordField
        label={t('password')}
        placeholder={t('passwordHint')}
        autoComplete="new-password"
        value={form.password}
        onChange={(event) => onChange({ password: event.target.value })}
        {...help('password')}
      />
      <PasswordField
        label={t('confirm')}
        placeholder={t('confirmHint')}
        autoComplete="new-password"
        value={form.password2}
        onChange={(event) => onChange({ password2: event.target.value })}
        {...help('password2')}
      />
      {byEmail && <EmailFields {...props} />}
    </>
  );
}

function useRegistration(byEmail: boolean) {
  const check = useBotCheck();
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const [form, setForm] = useState(blank);
  const [errors, setErrors] = useState<RegisterErrors>({});
  const formRef = useRef<HTMLFormElement>(null);
  const [register, { isLoading, error }] = useRegisterMutation();
  const { field, rest } = useRefusedInputs(error, form, names);
  const change = (part: Partial<RegisterForm>) => {
    const next = { ...form, ...part };
    setForm(next);
    if (Object.keys(errors).length > 0) setErrors(registerErrors(next, byEmail));
  };
  const send = async () => {
    if (check.problem) {
      dispatch(toastShown({ severity: 'error', key: check.problem }));
      return;
    }
    const { code, ...typed } = form;
    const reply = await register({
      ...typed,
      username: form.username.trim(),
      verification_code: code.trim(),
      aff_code: readStored(AFF_KEY) ?? '',
      turnstile: check.token,
    });
    check.used();
    if (reply.error) return;
    dispatch(toastShown({ severity: 'success', key: 'register:done' }));
    await navigate('/login');
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const found = registerErrors(form, byEmail);
    setErrors(found);
    const [first] = Object.keys(found);
    if (first) formRef.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
    else void send();
  };
  return { form, errors, change, submit, formRef, check, busy: isLoading, field, rest };
}

function RegisterFormCard() {
  const { t } = useTranslation('register');
  const { email_verification: byEmail = false } = useAppSelector(selectStatus);
  const { form, errors, change, submit, formRef, check, busy, field, rest } = useRegistration(byEmail);
  return (
    <Stack component="form" spacing={2.5} ref={formRef} onSubmit={submit} noValidate sx={{ '--field-height': '40px' }}>
      <Fields form={form} errors={errors} field={field} onChange={change} byEmail={byEmail} check={check} />
      {check.widget}
      {rest != null && <Refusal error={rest} />}
      <BusyButton type="submit" variant="contained" size="large" busy={busy}>
        {t('submit')}
      </BusyButton>
    </Stack>
  );
}

/** Invitation links lead here; the code is stored until the form is sent. */
function useInvitation(): void {
  const aff = useSearchParams()[0].get('aff');
  useEffect(() => {
    if (aff) writeStored(AFF_KEY, aff);
  }, [aff]);
}

export function RegisterPage() {
  const { t } = useTranslation('register');
  useInvitation();
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const enter = (reply: SignedIn) => {
    if (isSecondStep(reply)) return void navigate(SECOND_STEP_PATH);
    dispatch(signedIn(reply));
    void navigate('/', { replace: true });
  };
  const status = useAppSelector(selectStatus);
  const {
    self_use_mode_enabled: selfUse,
    register_enabled: open = true,
    password_register_enabled: byPassword = true,
  } = status;
  const closed = selfUse || !open ? 'closed' : !byPassword ? 'noPassword' : undefined;
  return (
    <EntryCard title={t('title')}>
      {closed ? <Callout severity="info">{t(closed)}</Callout> : <RegisterFormCard />}
      {!selfUse && open && <ProviderButtons onSignedIn={enter} />}
      <Typography variant="body2">
        {t('haveAccount')} <Link to="/login">{t('toLogin')}</Link>
      </Typography>
    </EntryCard>
  );
}

import Stack from '@mui/material/Stack';
import { isRoot } from '@tollgate/contracts/roles';
import type { SyntheticEvent } from 'react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import { placeOf } from '../../app/return-state.js';
import { selectUser, signedIn } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useLoginMutation } from '../../api/session.api.js';
import { writeStored } from '../../app/stored.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { useBotCheck } from '../../components/sign-in/bot-check.js';
import { EntryCard } from '../../components/layout/entry-card.js';
import { Field } from '../../components/forms/field.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { PasswordField } from '../../components/forms/password-field.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { ProviderButtons } from '../../components/sign-in/provider-buttons.js';
import { Callout } from '../../components/feedback/callout.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { isSecondStep, SECOND_STEP_PATH, type SignedIn } from '../../components/sign-in/second-step.js';
import { PasskeyButton } from './passkey-button.js';

const SecondStepForm = lazyPart(async () => (await import('./second-step-form.js')).SecondStepForm);

const AFTER_PASSWORD = '/token';
const AFTER_WECHAT = '/';
const tall = { '--field-height': '40px' };

/** Invitation links may lead here; the code is stored until the registration. */
function useInvitation(): void {
  const aff = useSearchParams()[0].get('aff');
  useEffect(() => {
    if (aff) writeStored('aff', aff);
  }, [aff]);
}

/**
 * Leaves the page when the user signs in in another tab, e.g. the one opened for a provider. The returned ref is set to
 * true by a sign-in on this page, which navigates itself.
 */
function useSignInElsewhere(from = AFTER_PASSWORD) {
  const navigate = useNavigate();
  const id = useAppSelector(selectUser)?.id;
  const first = useRef(id);
  const isOwn = useRef(false);
  useEffect(() => {
    if (!isOwn.current && id !== undefined && id !== first.current) void navigate(from, { replace: true });
  }, [id, from, navigate]);
  return isOwn;
}

function useEnter() {
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const { state } = useLocation();
  const isOwn = useSignInElsewhere(placeOf(state));
  return (reply: SignedIn, fallback: string) => {
    if (isSecondStep(reply)) return void navigate(SECOND_STEP_PATH, { state: state as unknown });
    isOwn.current = true;
    dispatch(signedIn(reply));
    dispatch(toastShown({ severity: 'success', key: 'login:done' }));
    void navigate(placeOf(state) ?? fallback, { replace: true });
  };
}

/** What is typed, what is wrong with it, and the call that signs in. */
function usePasswordLogin(onSignedIn: (reply: SignedIn) => void) {
  const { t } = useTranslation('login');
  const dispatch = useAppDispatch();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const [login, { isLoading, error }] = useLoginMutation();
  const { field, rest } = useRefusedInputs(error, { username, password });
  const marked = (name: 'username' | 'password', value: string) => {
    const refused = field(name);
    return { ...refused, error: (missing && !value) || refused.error };
  };
  const check = useBotCheck();
  const [isEarly, setEarly] = useState(false);

  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setMissing(!username || !password);
    const empty = !username ? 'username' : !password ? 'password' : undefined;
    if (empty) return form.current?.querySelector<HTMLInputElement>(`[name="${empty}"]`)?.focus();
    setEarly(check.problem !== undefined);
    if (check.problem) return;
    const reply = await login({ username, password, turnstile: check.token });
    check.used();
    if (!reply.data) return;
    if (!isSecondStep(reply.data) && isRoot(reply.data.role) && password === '123456')
      dispatch(toastShown({ severity: 'warning', key: 'login:defaultPassword' }));
    onSignedIn(reply.data);
  };
  const problem =
    (missing && (!username || !password) && t('missing')) || (isEarly && check.problem && t(check.problem));
  return {
    ...{ form, submit, isLoading, problem, rest, widget: check.widget },
    username: { ...marked('username', username), value: username, onChange: setUsername },
    password: { ...marked('password', password), value: password, onChange: setPassword },
  };
}

function PasswordForm({ onSignedIn }: { onSignedIn: (reply: SignedIn) => void }) {
  const { t } = useTranslation('login');
  const { form, submit, isLoading, problem, rest, widget, username, password } = usePasswordLogin(onSignedIn);
  return (
    <Stack component="form" ref={form} spacing={2} onSubmit={submit} noValidate sx={tall}>
      <Field
        {...username}
        label={t('username')}
        onChange={(event) => username.onChange(event.target.value)}
        autoComplete="username"
        autoFocus
        autoCapitalize="none"
        spellCheck={false}
      />
      <PasswordField
        {...password}
        label={t('password')}
        onChange={(event) => password.onChange(event.target.value)}
        autoComplete="current-password"
      />
      {widget}
      {problem && (
        <Callout severity="error" role="alert">
          {problem}
        </Callout>
      )}
      {!problem && rest != null && <Refusal error={rest} />}
      <BusyButton type="submit" variant="contained" size="large" busy={isLoading}>
        {t('submit')}
      </BusyButton>
    </Stack>
  );
}

function OtherWays() {
  const { t } = useTranslation('login');
  const { register_enabled: open = true, self_use_mode_enabled: selfUse } = useAppSelector(selectStatus);
  const register = open && !selfUse;
  return (
    <Stack direction="row" sx={{ justifyContent: 'space-between', flexWrap: 'wrap', gap: 1, typography: 'body2' }}>
      {register && (
        <span>
          {t('noAccount')} <Link to="/register">{t('toRegister')}</Link>
        </span>
      )}
      <span>
        {t('forgotten')} <Link to="/reset">{t('toReset')}</Link>
      </span>
    </Stack>
  );
}

export function LoginPage() {
  const { t } = useTranslation('login');
  useInvitation();
  const enter = useEnter();
  const { password_login_enabled: byPassword = true } = useAppSelector(selectStatus);
  const [search] = useSearchParams();
  const expired = search.get('expired') === 'true';
  if (search.get('step') === '2fa') {
    return (
      <EntryCard title={t('step.title')}>
        <Suspense fallback={<Placeholder />}>
          <SecondStepForm onSignedIn={(user) => enter(user, AFTER_PASSWORD)} />
        </Suspense>
      </EntryCard>
    );
  }
  return (
    <EntryCard title={t('title')}>
      {expired && <Callout severity="warning">{t('expired')}</Callout>}
      {byPassword ? (
        <PasswordForm onSignedIn={(user) => enter(user, AFTER_PASSWORD)} />
      ) : (
        <Callout severity="info">{t('passwordOff')}</Callout>
      )}
      <PasskeyButton onSignedIn={(user) => enter(user, AFTER_PASSWORD)} />
      <OtherWays />
      <ProviderButtons onSignedIn={(user) => enter(user, AFTER_WECHAT)} />
    </EntryCard>
  );
}

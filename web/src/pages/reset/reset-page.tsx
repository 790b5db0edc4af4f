import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { SyntheticEvent } from 'react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { isApiError } from '../../api/api-error.js';
import { useRequestResetMutation } from '../../api/session.api.js';
import { useBotCheck } from '../../components/sign-in/bot-check.js';
import { Callout } from '../../components/feedback/callout.js';
import { DeniableButton } from '../../components/feedback/deniable-button.js';
import { EntryCard } from '../../components/layout/entry-card.js';
import { Field } from '../../components/forms/field.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { useCountdown } from '../../components/basics/use-countdown.js';

const WAIT_SECONDS = 30;

const isOfEmail = (error: unknown): boolean =>
  isApiError(error) && (error.fields ?? []).some(({ path }) => path === 'email');

function useRequest() {
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<'missing' | 'incomplete' | 'botCheck.wait'>();
  const [left, wait] = useCountdown();
  const check = useBotCheck();
  const form = useRef<HTMLFormElement>(null);
  const [request, { isLoading, isSuccess, error, reset }] = useRequestResetMutation();
  const { field, rest } = useRefusedInputs(error, { email });
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    const address = email.trim();
    const wrong = address === '' ? 'missing' : address.includes('@') ? undefined : 'incomplete';
    setProblem(wrong ?? check.problem);
    reset();
    if (wrong) form.current?.querySelector('input')?.focus();
    if (wrong ?? check.problem) return;
    wait(WAIT_SECONDS);
    const { error: refused } = await request({ email: address, turnstile: check.token });
    check.used();
    // No mail was sent, so another address may be tried at once.
    if (isOfEmail(refused)) wait(0);
  };
  const write = (text: string) => {
    setEmail(text);
    if (problem === 'incomplete') setProblem(undefined);
  };
  return { email, write, problem, left, check, form, field, submit, busy: isLoading, isSent: isSuccess, rest };
}

/** Requests a mail with a reset link. The reply does not reveal whether the address is known. */
export function ResetPage() {
  const { t } = useTranslation('reset');
  const { email, write, problem, left, check, form, field, submit, busy, isSent, rest } = useRequest();
  return (
    <EntryCard title={t('title')}>
      <Stack component="form" ref={form} spacing={2} onSubmit={submit} noValidate sx={{ '--field-height': '40px' }}>
        <Typography variant="body2">{t('intro')}</Typography>
        <Field
          {...field('email', problem === 'incomplete' ? t(problem) : undefined)}
          label={t('email')}
          type="email"
          autoComplete="email"
          autoFocus
          value={email}
          onChange={(event) => write(event.target.value)}
          error={problem === 'missing' || problem === 'incomplete' || field('email').error}
        />
        {check.widget}
        {problem && problem !== 'incomplete' && (
          <Callout severity="error" role="alert">
            {t(problem)}
          </Callout>
        )}
        {rest != null && <Refusal error={rest} />}
        {isSent && (
          <Callout severity="success" role="status">
            {t('sent')}
          </Callout>
        )}
        <DeniableButton
          type="submit"
          variant="contained"
          size="large"
          busy={busy}
          denied={left > 0 ? t('again', { left }) : undefined}
        >
          {left > 0 ? t('again', { left }) : t('submit')}
        </DeniableButton>
      </Stack>
      <Typography variant="body2">
        <Link to="/login">{t('toLogin')}</Link>
      </Typography>
    </EntryCard>
  );
}

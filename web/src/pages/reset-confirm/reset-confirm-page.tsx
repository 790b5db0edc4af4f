import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { useConfirmResetMutation } from '../../api/session.api.js';
import { Callout } from '../../components/feedback/callout.js';
import { useCopy } from '../../components/texts/copy-button.js';
import { DeniableButton } from '../../components/feedback/deniable-button.js';
import { EntryCard } from '../../components/layout/entry-card.js';
import { Field } from '../../components/forms/field.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { useCountdown } from '../../components/basics/use-countdown.js';

const WAIT_SECONDS = 30;

type CopyPassword = (text: string, key: 'copied' | 'copiedAgain') => Promise<boolean>;

function NewPassword({ password, copy }: { password: string; copy: CopyPassword }) {
  const { t } = useTranslation('reset-confirm');
  return (
    <>
      <Field
        label={t('password')}
        name="password"
        value={password}
        readOnly
        mono
        onClick={() => void copy(password, 'copiedAgain')}
        helperText={t('passwordHint')}
      />
      <Callout severity="success" role="status">
        {t('changed')}
      </Callout>
    </>
  );
}

/** A link to the login. If the reset link is used up or incomplete, a link to request another one. */
function WayOn({ isWhole, error }: { isWhole: boolean; error: unknown }) {
  const { t } = useTranslation('reset-confirm');
  const works = isWhole && error == null;
  return (
    <Typography variant="body2">
      <Link to={works ? '/login' : '/reset'}>{t(works ? 'toLogin' : 'toReset')}</Link>
    </Typography>
  );
}

/** The target of the link in a reset mail. The server generates the new password, which is shown once. */
export function ResetConfirmPage() {
  const { t } = useTranslation('reset-confirm');
  const [params] = useSearchParams();
  const [email, token] = [params.get('email') ?? '', params.get('token') ?? ''];
  const [left, wait] = useCountdown();
  const { copy, dialog } = useCopy();
  const [confirm, { data: password, isLoading, error }] = useConfirmResetMutation();
  const isWhole = email !== '' && token !== '';
  const copyPassword: CopyPassword = (text, key) =>
    copy(text, { key: `reset-confirm:${key}`, params: { password: text } });
  const submit = async () => {
    wait(WAIT_SECONDS);
    const reply = await confirm({ email, token });
    if (reply.data) await copyPassword(reply.data, 'copied');
  };
  const label = password ? t('done') : t('submit');
  const shown = left > 0 ? t('wait', { label, left }) : label;
  const denied = isWhole ? (left > 0 || password ? shown : undefined) : t('broken');
  return (
    <EntryCard title={t('title')}>
      <Stack
        component="form"
        spacing={2}
        noValidate
        sx={{ '--field-height': '40px' }}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field label={t('email')} name="email" value={email} readOnly />
        {password && <NewPassword password={password} copy={copyPassword} />}
        {!isWhole && <Callout severity="error">{t('broken')}</Callout>}
        {error && <Refusal error={error} />}
        <DeniableButton type="submit" variant="contained" size="large" busy={isLoading} denied={denied}>
          {shown}
        </DeniableButton>
      </Stack>
      <WayOn isWhole={isWhole} error={error} />
      {dialog}
    </EntryCard>
  );
}

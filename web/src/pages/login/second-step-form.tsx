import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { SessionUser } from '@tollgate/contracts/api/user';
import type { SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useFinishSecondStepMutation, useGetSecondStepQuery } from '../../api/factor.api.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { CodeField } from '../../components/forms/code-field.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { PasskeyButton } from './passkey-button.js';

interface SecondStepFormProps {
  onSignedIn: (user: SessionUser) => void;
}

function CodeForm({ byApp, onSignedIn }: SecondStepFormProps & { byApp: boolean }) {
  const { t } = useTranslation('login');
  const [code, setCode] = useState('');
  const [missing, setMissing] = useState(false);
  const [finish, { isLoading, error }] = useFinishSecondStepMutation();
  const { field, rest } = useRefusedInputs(error, { code });
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setMissing(code.trim() === '');
    if (code.trim() === '') return;
    const reply = await finish(code);
    if (reply.data) onSignedIn(reply.data);
  };
  return (
    <Stack component="form" spacing={2} onSubmit={submit} noValidate sx={{ '--field-height': '40px' }}>
      <CodeField
        label={t(byApp ? 'step.code' : 'step.recovery')}
        code={code}
        onCode={setCode}
        autoFocus
        {...field('code', missing ? t('step.missing') : undefined, t(byApp ? 'step.codeHint' : 'step.recoveryHint'))}
      />
      {rest != null && <Refusal error={rest} />}
      <BusyButton type="submit" variant="contained" size="large" busy={isLoading}>
        {t('step.submit')}
      </BusyButton>
    </Stack>
  );
}

/** The second step of a login, for users with a second factor whose password was right. */
export function SecondStepForm({ onSignedIn }: SecondStepFormProps) {
  const { t } = useTranslation('login');
  const { data, error } = useGetSecondStepQuery();
  const methods = data?.methods ?? [];
  const byCode = methods.includes('totp') || methods.includes('recovery');
  return (
    <Stack spacing={2}>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('step.intro')}
      </Typography>
      {error ? <Refusal error={error} /> : !data && <Placeholder />}
      {byCode && <CodeForm byApp={methods.includes('totp')} onSignedIn={onSignedIn} />}
      {methods.includes('passkey') && <PasskeyButton secondStep onSignedIn={onSignedIn} />}
      {data && (
        <Typography variant="caption" sx={{ color: 'text.secondary' }}>
          {t('step.lost')}
        </Typography>
      )}
      <Link to="/login">{t('step.back')}</Link>
    </Stack>
  );
}

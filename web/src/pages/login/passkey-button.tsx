import KeyIcon from '@mui/icons-material/VpnKeyOutlined';
import Stack from '@mui/material/Stack';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { useTranslation } from 'react-i18next';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Callout } from '../../components/feedback/callout.js';
import { canUsePasskeys } from '../../components/sign-in/passkey-call.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { usePasskeyLogin } from '../../components/sign-in/use-passkey-login.js';

interface PasskeyButtonProps {
  secondStep?: boolean;
  onSignedIn: (user: SessionUser) => void;
}

export function PasskeyButton({ secondStep = false, onSignedIn }: PasskeyButtonProps) {
  const { t } = useTranslation('login');
  const { run, busy, failed } = usePasskeyLogin(secondStep, onSignedIn);
  if (!canUsePasskeys()) return null;
  return (
    <Stack spacing={1.5}>
      <BusyButton variant="outlined" startIcon={<KeyIcon />} busy={busy} onClick={() => void run()}>
        {t('passkey')}
      </BusyButton>
      {failed === 'browser' && (
        <Callout severity="error" role="alert">
          {t('passkeyFailed')}
        </Callout>
      )}
      {failed !== undefined && failed !== 'browser' && <Refusal error={failed} />}
    </Stack>
  );
}

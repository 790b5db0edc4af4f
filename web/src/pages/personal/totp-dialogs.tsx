import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { TotpSetup } from '@tollgate/contracts/api/second-factor';
import type { SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDisableTotpMutation, useEnableTotpMutation } from '../../api/factor.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { CopyButton } from '../../components/texts/copy-button.js';
import { CodeField } from '../../components/forms/code-field.js';
import { FormDialog } from '../../components/overlays/form-dialog.js';
import { useRefusedInputs } from '../../components/forms/use-refused-inputs.js';
import { PasswordField } from '../../components/forms/password-field.js';

interface SetupProps {
  setup: TotpSetup;
  onDone: (codes: string[]) => void;
  onClose: () => void;
}

export function SetupDialog({ setup, onDone, onClose }: SetupProps) {
  const { t } = useTranslation('personal');
  const [code, setCode] = useState('');
  const [enable, { isLoading, error }] = useEnableTotpMutation();
  const { field, rest } = useRefusedInputs(error, { code });
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    const call = enable(code);
    const { data } = await call;
    if (!data) return;
    call.reset();
    onDone(data.recovery_codes);
  };
  return (
    <FormDialog
      title={t('factors.setUp')}
      submitLabel={t('factors.confirm')}
      busy={isLoading}
      error={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <Typography variant="body2">{t('factors.scan')}</Typography>
      <Box
        component="img"
        alt={t('factors.qrCode')}
        src={`data:image/svg+xml;utf8,${encodeURIComponent(setup.qr_code)}`}
        sx={{ width: 200, height: 200, alignSelf: 'center', bgcolor: 'common.white', borderRadius: '6px' }}
      />
      <Box sx={{ display: 'flex', alignItems: 'center', bgcolor: 'background.sunken', borderRadius: '6px', px: 1.5 }}>
        <Box component="code" sx={{ typography: 'mono', flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
          {setup.secret}
        </Box>
        <CopyButton text={setup.secret} />
      </Box>
      <CodeField label={t('factors.code')} code={code} onCode={setCode} autoFocus {...field('code')} />
    </FormDialog>
  );
}

export function DisableDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [disable, { isLoading, error }] = useDisableTotpMutation();
  const { field, rest } = useRefusedInputs(error, { password, code });
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    if ((await disable({ password, code })).error) return;
    dispatch(toastShown({ severity: 'success', key: 'personal:factors.disabled' }));
    onClose();
  };
  return (
    <FormDialog
      title={t('factors.disable')}
      submitLabel={t('factors.disable')}
      busy={isLoading}
      error={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <PasswordField
        label={t('factors.password')}
        {...field('password')}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="current-password"
        autoFocus
      />
      <CodeField label={t('factors.code')} code={code} onCode={setCode} {...field('code')} />
    </FormDialog>
  );
}

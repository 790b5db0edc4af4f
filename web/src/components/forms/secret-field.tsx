import ShowIcon from '@mui/icons-material/VisibilityOutlined';
import HideIcon from '@mui/icons-material/VisibilityOffOutlined';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../texts/copy-button.js';

const SHOWN_MS = 30_000;

interface SecretFieldProps {
  label: string;
  /** The masked secret as the list shows it: `sk-ab…9f`. */
  masked: string;
  /** Fetches the secret; `undefined` if the server refused, which is shown elsewhere. */
  reveal: () => Promise<string | undefined>;
}

/** A masked secret that can be shown for half a minute; it is kept in this component's state only. */
export function SecretField({ label, masked, reveal }: SecretFieldProps) {
  const { t } = useTranslation();
  const [secret, setSecret] = useState<string>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (secret === undefined) return;
    const timer = setTimeout(() => setSecret(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [secret]);
  const toggle = async () => {
    if (busy) return;
    if (secret !== undefined) {
      setSecret(undefined);
      return;
    }
    setBusy(true);
    try {
      setSecret(await reveal());
    } finally {
      setBusy(false);
    }
  };
  const name = secret === undefined ? t('action.view') : t('action.hide');
  return (
    <Box
      role="group"
      aria-label={label}
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 0.5,
        bgcolor: 'background.sunken',
        borderRadius: '6px',
        px: 1.5,
        py: 1,
      }}
    >
      <Box
        component="code"
        aria-live="polite"
        sx={{ typography: 'mono', flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}
      >
        {secret ?? masked}
      </Box>
      <IconButton size="small" aria-label={name} title={name} aria-disabled={busy} onClick={() => void toggle()}>
        {secret === undefined ? <ShowIcon sx={{ fontSize: 18 }} /> : <HideIcon sx={{ fontSize: 18 }} />}
      </IconButton>
      <CopyButton text={async () => secret ?? (await reveal())} />
    </Box>
  );
}

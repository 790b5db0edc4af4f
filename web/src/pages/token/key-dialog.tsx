import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { Token } from '@tollgate/contracts/api/token';
import { useTranslation } from 'react-i18next';
import { SecretField } from '../../components/forms/secret-field.js';

/** Only both ends of the key are shown until the reader reveals it. */
const masked = (key: string): string => `sk-${key.slice(0, 3)}***${key.slice(-3)}`;

interface KeyDialogProps {
  token: Token;
  keyOf: (id: number) => Promise<string | undefined>;
  onClose: () => void;
}

export function KeyDialog({ token, keyOf, onClose }: KeyDialogProps) {
  const { t } = useTranslation('token');
  const reveal = async () => {
    const key = await keyOf(token.id);
    return key === undefined ? undefined : `sk-${key}`;
  };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="key-title">
      <DialogTitle id="key-title" variant="h6">
        {t('keyOf', { name: token.name })}
      </DialogTitle>
      <DialogContent>
        <SecretField label={t('key')} masked={masked(token.key)} reveal={reveal} />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}

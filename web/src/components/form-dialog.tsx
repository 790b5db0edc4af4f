import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import type { ReactNode, SyntheticEvent } from 'react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Refusal } from './refusal.js';

interface FormDialogProps {
  title: string;
  submitLabel: string;
  busy: boolean;
  /** The server's refusal, above the fields. */
  error?: unknown;
  onSubmit: (event: SyntheticEvent) => void;
  onClose: () => void;
  children: ReactNode;
}

/** A few fields that do not deserve a drawer; a refusal keeps what was typed. */
export function FormDialog({ title, submitLabel, busy, error, onSubmit, onClose, children }: FormDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Dialog open onClose={() => !busy && onClose()} fullWidth maxWidth="xs" aria-labelledby={id}>
      <form onSubmit={onSubmit} noValidate>
        <DialogTitle id={id} variant="h6">
          {title}
        </DialogTitle>
        <DialogContent>
          <Stack spacing={2.5} sx={{ pt: 1 }}>
            {error != null && <Refusal error={error} />}
            {children}
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose} disabled={busy}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={busy}>
            {submitLabel}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

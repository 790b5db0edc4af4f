import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import type { ReactNode, SyntheticEvent } from 'react';
import { useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DiscardQuestion } from './dirty-guard.js';
import { Refusal } from '../feedback/refusal.js';

interface FormDialogProps {
  title: string;
  submitLabel: string;
  busy?: boolean;
  /** The server's refusal, above the fields. */
  error?: unknown;
  onSubmit: (event: SyntheticEvent) => void;
  onClose: () => void;
  children: ReactNode;
}

/** Passwords and codes are typed again at no loss; everything else is somebody's work. */
function isWork(field: EventTarget): boolean {
  if (!(field instanceof HTMLInputElement)) return true;
  return field.type !== 'password' && field.autocomplete !== 'one-time-code';
}

/** A few fields that do not deserve a drawer; a refusal keeps what was typed, and so does a key or click that would close it. */
export function FormDialog({ title, submitLabel, busy, error, onSubmit, onClose, children }: FormDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const typed = useRef(false);
  const [asks, setAsks] = useState(false);
  const leave = () => {
    if (busy) return;
    if (typed.current) setAsks(true);
    else onClose();
  };
  const watch = ({ target }: SyntheticEvent) => {
    typed.current ||= isWork(target);
  };
  return (
    <>
      <Dialog open onClose={leave} fullWidth maxWidth="xs" aria-labelledby={id}>
        <form onSubmit={onSubmit} onChange={watch} noValidate>
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
            <Button onClick={leave} disabled={busy}>
              {t('action.cancel')}
            </Button>
            <Button type="submit" variant="contained" loading={busy}>
              {submitLabel}
            </Button>
          </DialogActions>
        </form>
      </Dialog>
      {asks && <DiscardQuestion discard={onClose} onClose={() => setAsks(false)} />}
    </>
  );
}

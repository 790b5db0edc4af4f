import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import type { ReactNode, SyntheticEvent } from 'react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BusyButton } from '../basics/busy-button.js';
import { DirtyGuard, DiscardQuestion } from './dirty-guard.js';
import { Refusal } from '../feedback/refusal.js';

interface FormDialogProps {
  title: string;
  submitLabel: string;
  busy?: boolean;
  /** The server's refusal, shown above the fields. */
  error?: unknown;
  /** The dialog holds unsaved text that was not typed since it opened, such as a restored draft. */
  dirty?: boolean;
  onSubmit: (event: SyntheticEvent) => void;
  onClose: () => void;
  children: ReactNode;
}

/** Whether text in this field is worth a question before it is lost; passwords and codes are easily typed again. */
function isWork(field: EventTarget): boolean {
  if (!(field instanceof HTMLInputElement)) return true;
  return field.type !== 'password' && field.autocomplete !== 'one-time-code';
}

/**
 * A form of a few fields in a dialog. A refusal keeps the typed text; before anything else closes the dialog or leaves the page, the user
 * is asked.
 */
export function FormDialog({ title, submitLabel, busy, error, onSubmit, onClose, ...rest }: FormDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const [typed, setTyped] = useState(false);
  const [asks, setAsks] = useState(false);
  const dirty = typed || rest.dirty === true;
  const leave = () => {
    if (busy) return;
    if (dirty) setAsks(true);
    else onClose();
  };
  // React events bubble through portals, so a form around the dialog would receive this submit as well.
  const submit = (event: SyntheticEvent) => {
    event.stopPropagation();
    onSubmit(event);
  };
  const watch = ({ target }: SyntheticEvent) => {
    if (isWork(target)) setTyped(true);
  };
  return (
    <>
      <Dialog open onClose={leave} fullWidth maxWidth="xs" aria-labelledby={id}>
        <form onSubmit={submit} onChange={watch} noValidate>
          <DialogTitle id={id} variant="h6">
            {title}
          </DialogTitle>
          <DialogContent>
            <Stack spacing={2.5} sx={{ pt: 1 }}>
              {error != null && <Refusal error={error} />}
              {rest.children}
            </Stack>
          </DialogContent>
          <DialogActions>
            <Button onClick={leave} disabled={busy}>
              {t('action.cancel')}
            </Button>
            <BusyButton type="submit" variant="contained" busy={busy}>
              {submitLabel}
            </BusyButton>
          </DialogActions>
        </form>
      </Dialog>
      <DirtyGuard dirty={dirty} overPage onDiscard={onClose} />
      {asks && <DiscardQuestion discard={onClose} onStay={() => setAsks(false)} />}
    </>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import type { TFunction } from 'i18next';
import type { SyntheticEvent } from 'react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConfirmOptions } from './confirm-options.js';
import { DeniableButton } from '../feedback/deniable-button.js';
import { Field } from '../forms/field.js';
import { useRefusedInputs } from '../forms/use-refused-inputs.js';
import { Refusal } from '../feedback/refusal.js';

const MAX_NAMES = 10;

function Affected({ total, names }: NonNullable<ConfirmOptions['affected']>) {
  const { t } = useTranslation();
  const rest = total - Math.min(names.length, MAX_NAMES);
  return (
    <Box sx={{ bgcolor: 'background.sunken', borderRadius: '6px', px: 1.5, py: 1, overflowWrap: 'anywhere' }}>
      {names.slice(0, MAX_NAMES).join(t('table.separator'))}
      {rest > 0 && ` ${t('confirm.more', { count: rest })}`}
    </Box>
  );
}

/** Runs the action while the dialog is open, so that it shows progress and failure. */
function useRun(run: ConfirmOptions['run'], onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const start = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
      onDone();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return { busy, error, start };
}

/** The server's name of the typed text → the field. */
const namesOf = ({ typedName }: ConfirmOptions): Record<string, 'typed'> => (typedName ? { [typedName]: 'typed' } : {});

/** The text that must be typed to confirm; `ready`: it is typed, or none is needed. */
function useTyped(options: ConfirmOptions, error: unknown) {
  const [text, setText] = useState('');
  const { field, rest } = useRefusedInputs(
    error,
    { typed: text },
    useMemo(() => namesOf(options), [options]),
  );
  const ready = options.typed === undefined || text.trim() === options.typed;
  return { text, setText, ready, field, rest };
}

/** What must be typed to confirm. */
const promptOf = ({ typedLabel, typed }: ConfirmOptions, t: TFunction): string =>
  typedLabel ?? t('confirm.type', { text: typed });

function Body({ options, typing }: { options: ConfirmOptions; typing: ReturnType<typeof useTyped> }) {
  const { t } = useTranslation();
  const { consequences, affected, typed, typedHint } = options;
  const { text, setText, field, rest } = typing;
  return (
    <Stack spacing={1.5}>
      {consequences.map((line) => (
        <div key={line}>{line}</div>
      ))}
      {affected && <Affected {...affected} />}
      {typed !== undefined && (
        <Box sx={{ pt: 1 }}>
          <Field
            label={promptOf(options, t)}
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            {...field('typed', undefined, typedHint)}
          />
        </Box>
      )}
      {rest !== undefined && <Refusal error={rest} />}
    </Stack>
  );
}

/** Says what will happen, to how many things, and whether it can be undone; the button repeats the verb. */
export function ConfirmDialog({ options, onClose }: { options: ConfirmOptions; onClose: () => void }) {
  const { t } = useTranslation();
  const { title, typed, confirm, run } = options;
  const { busy, error, start } = useRun(run, onClose);
  const typing = useTyped(options, error);
  const cancel = () => {
    options.onCancel?.();
    onClose();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    event.stopPropagation();
    // Where a confirmation must be typed, only the button submits; Enter in the field does not.
    if (typed === undefined) void start();
  };
  return (
    <Dialog
      open
      onClose={() => !busy && cancel()}
      fullWidth
      maxWidth="xs"
      aria-labelledby="confirm-title"
      role="alertdialog"
    >
      <form onSubmit={submit}>
        <DialogTitle id="confirm-title" variant="h6">
          {title}
        </DialogTitle>
        <DialogContent>
          <Body options={options} typing={typing} />
        </DialogContent>
        <DialogActions>
          <Button onClick={cancel} disabled={busy} autoFocus>
            {t('action.cancel')}
          </Button>
          <DeniableButton
            variant="contained"
            color={confirm.danger ? 'error' : 'primary'}
            busy={busy}
            denied={typing.ready ? undefined : promptOf(options, t)}
            onClick={() => void start()}
          >
            {confirm.label}
          </DeniableButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}

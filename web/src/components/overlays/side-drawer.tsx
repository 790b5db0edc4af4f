import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { KeyboardEvent, ReactNode, SyntheticEvent } from 'react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Placeholder } from '../feedback/busy.js';
import { DeniableButton } from '../feedback/deniable-button.js';
import { DirtyGuard } from './dirty-guard.js';
import { DrawerFrame } from './drawer-frame.js';
import { ErrorState } from '../feedback/states.js';
import { Refusal } from '../feedback/refusal.js';

interface SideDrawerProps {
  title: string;
  onClose: () => void;
  onSubmit: (event: SyntheticEvent) => void;
  dirty: boolean;
  busy: boolean;
  /** The server's refusal, above the fields. */
  error?: unknown;
  /** In place of the refusal, where more can be done about it than to read it. */
  notice?: ReactNode;
  /** The object to edit is not there yet, or could not be loaded: nothing can be saved over it. */
  load?: { pending: boolean; error?: unknown; retry: () => void };
  submitLabel?: string;
  extraActions?: ReactNode;
  children: ReactNode;
}

function Body({ load, error, notice, children }: Pick<SideDrawerProps, 'load' | 'error' | 'notice' | 'children'>) {
  if (load?.error) return <ErrorState error={load.error} retry={load.retry} />;
  if (load?.pending) {
    return (
      <Stack spacing={2}>
        {[1, 2, 3, 4, 5].map((line) => (
          <Placeholder key={line} sx={{ height: 32 }} />
        ))}
      </Stack>
    );
  }
  return (
    <Stack spacing={2.5}>
      {notice ?? (error != null && <Refusal error={error} />)}
      {children}
    </Stack>
  );
}

/** Stays in view above the keyboard of a phone. */
function Foot({ children }: { children: ReactNode }) {
  return (
    <Stack
      direction="row"
      spacing={1}
      sx={{ justifyContent: 'flex-end', px: 2, py: 1.5, flexShrink: 0, borderTop: 1, borderColor: 'border.subtle' }}
    >
      {children}
    </Stack>
  );
}

/** React hands what happens in a dialog to whoever shows it, wherever the dialog stands in the page. */
const isOfForm = (form: HTMLFormElement | null, { target }: SyntheticEvent): boolean =>
  form !== null && target instanceof Node && form.contains(target);

const formBox = { display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0 } as const;

/** A form from the right, with a footer that stays. */
export function SideDrawer({ title, onClose, onSubmit, dirty, busy, error, notice, load, ...rest }: SideDrawerProps) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const closed = Boolean(load?.pending || load?.error);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !isOfForm(form.current, event)) return;
    event.preventDefault();
    // A form sends itself even while its button waits for an answer.
    if (!closed && !busy) form.current?.requestSubmit();
  };
  const submit = (event: SyntheticEvent) => {
    if (isOfForm(form.current, event)) onSubmit(event);
  };
  useEffect(() => {
    if (error) form.current?.querySelector('[role="alert"]')?.scrollIntoView?.({ block: 'nearest' });
  }, [error]);
  return (
    <>
      <DrawerFrame title={title} onClose={onClose}>
        <Box component="form" ref={form} onSubmit={submit} onKeyDown={onKeyDown} noValidate sx={formBox}>
          <Box sx={{ flex: 1, overflowY: 'auto', p: 2, minHeight: 0 }}>
            <Body load={load} error={error} notice={notice}>
              {rest.children}
            </Body>
          </Box>
          <Foot>
            {!closed && rest.extraActions}
            <Button onClick={onClose}>{t('action.cancel')}</Button>
            <DeniableButton
              type="submit"
              variant="contained"
              loading={busy}
              denied={closed ? t(load?.error ? 'form.notLoaded' : 'form.loading') : undefined}
            >
              {rest.submitLabel ?? t('action.submit')}
            </DeniableButton>
          </Foot>
        </Box>
      </DrawerFrame>
      <DirtyGuard dirty={dirty} />
    </>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { KeyboardEvent, ReactNode, SyntheticEvent } from 'react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Placeholder } from '../feedback/busy.js';
import { DeniableButton } from '../feedback/deniable-button.js';
import { useJustSaved } from '../forms/use-just-saved.js';
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
  /** The server's refusal, shown above the fields. */
  error?: unknown;
  /** Shown instead of the refusal, if the user can do something about it. */
  notice?: ReactNode;
  /** State of loading the object to edit; while it is pending or failed nothing can be saved. */
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

/** The footer stays in view above the keyboard of a phone. */
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

/**
 * React events bubble through portals: a dialog opened from the drawer sends its events here, too. Only events of the drawer's own form
 * count.
 */
const isOfForm = (form: HTMLFormElement | null, { target }: SyntheticEvent): boolean =>
  form !== null && target instanceof Node && form.contains(target);

const formBox = { display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0 } as const;

/** A form in a drawer from the right, with a footer that stays in view. */
export function SideDrawer({ title, onClose, onSubmit, dirty, busy, error, notice, load, ...rest }: SideDrawerProps) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const closed = Boolean(load?.pending || load?.error);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !isOfForm(form.current, event)) return;
    event.preventDefault();
    // `requestSubmit` does not check whether the submit button is disabled.
    if (!closed && !busy) form.current?.requestSubmit();
  };
  const justSaved = useJustSaved(busy, error != null || notice != null);
  const submit = (event: SyntheticEvent) => {
    if (!isOfForm(form.current, event)) return;
    if (justSaved()) event.preventDefault();
    else onSubmit(event);
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
              busy={busy}
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

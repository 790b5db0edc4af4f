import Stack from '@mui/material/Stack';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../app/i18n/text-keys.js';
import { describeError } from '../../api/api-error.js';
import type { Severity, Toast } from '../../app/slices/toasts.js';
import { selectToasts, toastClosed } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { Callout } from './callout.js';
import { RequestId } from './request-id.js';

const LIFE_MS: Record<Severity, number> = { success: 3000, info: 4000, warning: 10_000, error: 10_000 };

function ToastLine({ toast }: { toast: Toast }) {
  const { t } = useTranslation();
  const say = useSay();
  const dispatch = useAppDispatch();
  const [held, setHeld] = useState(false);
  const close = () => dispatch(toastClosed(toast.id));
  const { id, severity, at, error, count } = toast;
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dispatch(toastClosed(id)), LIFE_MS[severity]);
    return () => clearTimeout(timer);
  }, [held, id, severity, at, dispatch]);

  const message = error ? describeError(error) : say(toast.key ?? 'done.action', { ...toast.params });
  const text = count > 1 ? t('toast.again', { text: message, count }) : message;
  return (
    <Callout
      severity={severity}
      // Other severities are announced by the live region around the stack.
      role={severity === 'error' ? 'alert' : undefined}
      onClose={close}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        close();
      }}
      sx={{
        pointerEvents: 'auto',
        minWidth: 240,
        maxWidth: 560,
        border: '1px solid',
        borderColor: 'border.subtle',
        boxShadow: '0 8px 24px var(--tg-shadow-float)',
        overflowWrap: 'anywhere',
        '& .message': { maxHeight: 160, overflowY: 'auto' },
      }}
    >
      {text}
      <RequestId id={error?.requestId} copied={`${text}\n${error?.requestId}`} />
    </Callout>
  );
}

/** Keeps toasts off the upper edge of a drawer, where its errors are: beside the drawer on a desktop, above its footer on a phone. */
const besideDrawer = {
  'body:has([data-side-drawer]) &': {
    right: { xs: 0, md: 600 },
    top: { xs: 'auto', md: 64 },
    bottom: { xs: 64, md: 'auto' },
  },
} as const;

/**
 * On a phone toasts would cover the heading, so they are at the lower edge, above a message composer; if the progress drawer is there, they
 * are at the top.
 */
const underPhone = {
  top: { xs: 'auto', sm: 64 },
  bottom: { xs: 16, sm: 'auto' },
  'body:has([data-composer]) &': { bottom: { xs: 136, sm: 'auto' } },
  'body:has([data-jobs]) &': { top: 64, bottom: 'auto' },
} as const;

/** Where Escape has a use of its own. */
const USES_ESCAPE = '[role=dialog],[role=alertdialog],[role=menu],[role=listbox],input,textarea,select';

/** Escape closes the newest toast, unless what has the focus uses the key. */
function useEscape(newest: string | undefined): void {
  const dispatch = useAppDispatch();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isUsed = event.defaultPrevented || document.activeElement?.closest(USES_ESCAPE);
      if (event.key === 'Escape' && newest !== undefined && !isUsed) dispatch(toastClosed(newest));
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [newest, dispatch]);
}

/** At most three toasts, centred below the top bar. */
export function ToastStack() {
  const toasts = useAppSelector(selectToasts);
  useEscape(toasts.at(-1)?.id);
  return (
    <Stack
      spacing={1}
      sx={{
        position: 'fixed',
        ...underPhone,
        left: 0,
        right: 0,
        zIndex: 'snackbar',
        alignItems: 'center',
        px: 2,
        pointerEvents: 'none',
        ...besideDrawer,
      }}
    >
      {toasts.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </Stack>
  );
}

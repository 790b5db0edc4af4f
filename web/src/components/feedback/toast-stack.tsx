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

  const said = error ? describeError(error) : say(toast.key ?? 'done.action', { ...toast.params });
  const text = count > 1 ? t('toast.again', { text: said, count }) : said;
  return (
    <Callout
      severity={severity}
      // The region around the stack tells of everything else.
      role={severity === 'error' ? 'alert' : undefined}
      onClose={close}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      onKeyDown={(event) => event.key === 'Escape' && close()}
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

/** The errors of a drawer stand at its upper edge, which toasts must not cover: beside it on a desk, above its footer on a phone. */
const besideDrawer = {
  'body:has([data-side-drawer]) &': {
    right: { xs: 0, md: 600 },
    top: { xs: 'auto', md: 64 },
    bottom: { xs: 64, md: 'auto' },
  },
} as const;

/** On a phone they would lie over the heading, so they come up from the lower edge there, above what is typed into, unless jobs do. */
const underPhone = {
  top: { xs: 'auto', sm: 64 },
  bottom: { xs: 16, sm: 'auto' },
  'body:has([data-composer]) &': { bottom: { xs: 136, sm: 'auto' } },
  'body:has([data-jobs]) &': { top: 64, bottom: 'auto' },
} as const;

/** Top centre under the bar, three at most. */
export function ToastStack() {
  const toasts = useAppSelector(selectToasts);
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

import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useRouteError } from 'react-router-dom';
import { describeError, isApiError } from '../../api/api-error.js';
import { Callout } from './callout.js';
import { useAgain } from '../basics/lazy-part.js';
import { RequestId } from './request-id.js';

interface MessageStateProps {
  title: string;
  body?: string;
  /** Identifies the state for the browser tests. */
  state?: 'empty' | 'no-match';
  /** The title is the page's heading, if the page has no other. */
  heading?: boolean;
  children?: ReactNode;
}

/** A sentence and at most one action; used for empty, forbidden and unknown pages. */
export function MessageState({ title, body, state, heading = false, children }: MessageStateProps) {
  return (
    <Stack
      data-state={state}
      spacing={2}
      sx={{
        alignItems: 'center',
        textAlign: 'center',
        py: 8,
        px: 2,
        maxWidth: 560,
        mx: 'auto',
        overflowWrap: 'anywhere',
      }}
    >
      <Typography variant="h6" component={heading ? 'h1' : 'p'} tabIndex={heading ? -1 : undefined}>
        {title}
      </Typography>
      {body && <Typography sx={{ color: 'text.secondary', textWrap: 'balance' }}>{body}</Typography>}
      {children}
    </Stack>
  );
}

export function ForbiddenState({ who }: { who: 'admin' | 'root' }) {
  const { t } = useTranslation();
  return (
    <MessageState
      heading
      title={t('state.forbiddenTitle')}
      body={t(who === 'root' ? 'state.forbiddenRoot' : 'state.forbiddenAdmin')}
    >
      <Button component={Link} to="/" variant="contained">
        {t('action.home')}
      </Button>
    </MessageState>
  );
}

interface ErrorStateProps {
  error: unknown;
  retry?: () => void;
  /** Names what failed to load, if the page does not. */
  title?: string;
}

/** A failed load: what failed, why, and what to do. */
export function ErrorState({ error, retry, title }: ErrorStateProps) {
  const { t } = useTranslation();
  const reason = describeError(error);
  return (
    <Callout
      severity="error"
      role="alert"
      title={title}
      action={
        retry && (
          <Button color="inherit" onClick={retry}>
            {t('action.retry')}
          </Button>
        )
      }
    >
      {t('state.error', { reason: reason.replace(t('state.errorPrefix'), '') })}
      <RequestId id={isApiError(error) ? error.requestId : undefined} />
    </Callout>
  );
}

/** A page whose file could not be loaded. */
export function MissingState() {
  const { t } = useTranslation();
  const again = useAgain();
  return (
    <MessageState heading title={t('state.missingTitle')} body={t('state.missingBody')}>
      <Stack direction="row" spacing={1}>
        <Button variant="contained" onClick={again}>
          {t('action.retry')}
        </Button>
        <Button onClick={() => window.location.reload()}>{t('action.reload')}</Button>
      </Stack>
    </MessageState>
  );
}

/** Shown when a page's own code threw an error; the frame stays. */
export function CrashState() {
  const error = useRouteError();
  const { t } = useTranslation();
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return (
    <MessageState heading title={t('state.crashTitle')} body={t('state.crashBody')}>
      <Typography variant="mono" sx={{ overflowWrap: 'anywhere' }}>
        {text}
      </Typography>
      <Button variant="contained" onClick={() => window.location.reload()}>
        {t('action.reload')}
      </Button>
    </MessageState>
  );
}

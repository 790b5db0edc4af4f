import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useRouteError } from 'react-router-dom';
import { describeError, isApiError } from '../../api/api-error.js';
import { Callout } from './callout.js';
import { PartMissing } from '../basics/lazy-part.js';
import { RequestId } from './request-id.js';

interface MessageStateProps {
  title: string;
  body?: string;
  /** Which state it is, for whoever looks at the page as a program. */
  state?: 'empty' | 'no-match';
  /** The page's heading, when nothing else on the page is. */
  heading?: boolean;
  children?: ReactNode;
}

/** One sentence and at most one way on: the frame of empty, forbidden and lost pages. */
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
  /** What did not come, where the page around does not say it. */
  title?: string;
}

/** A failed load: what, why, and what to do. */
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

/** A fault of our own program on one page; the frame stays. */
export function CrashState() {
  const error = useRouteError();
  const { t } = useTranslation();
  if (error instanceof PartMissing) {
    return (
      <MessageState heading title={t('state.missingTitle')} body={t('shell.newVersion')}>
        <Button variant="contained" onClick={() => window.location.reload()}>
          {t('action.reload')}
        </Button>
      </MessageState>
    );
  }
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

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { OauthProvider } from '@tollgate/contracts/api/oauth';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router-dom';
import { isApiError } from '../../api/api-error.js';
import { useFinishOauthMutation } from '../../api/session.api.js';
import { signedIn } from '../../app/slices/session.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Callout } from '../../components/feedback/callout.js';
import { EntryCard } from '../../components/layout/entry-card.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { isSecondStep, SECOND_STEP_PATH } from '../../components/sign-in/second-step.js';
import { providers } from '../../components/sign-in/sign-in-providers.js';
import { useAuthorize } from '../../components/sign-in/use-authorize.js';

const MAX_RETRIES = 3;
const RETRY_MS = 1500;
/** How long the reason of a failure stays before the page leaves; long enough to read it and to start again. */
const STAY_MS = 10_000;

const PASSED_ON = ['code', 'state', 'iss', 'error', 'error_description'] as const;

/**
 * True when the call never reached the server. Only then may it be repeated: a `state` can be used once, so a refusal
 * is final.
 */
const isLost = (error: unknown): boolean => isApiError(error) && error.status === 0;

function useReturn() {
  const { provider = '' } = useParams();
  const [search] = useSearchParams();
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const [finish, { error }] = useFinishOauthMutation();
  const [retries, setRetries] = useState(0);
  const [failed, setFailed] = useState(false);
  const begun = useRef(false);

  useEffect(() => {
    // A second run of the effect would use up the `state` before the first run has its reply.
    if (begun.current) return;
    begun.current = true;
    // Without a `state` the browser was not sent here by a provider, so there is no login to finish.
    if (!search.has('state')) {
      setFailed(true);
      return;
    }
    const params = Object.fromEntries(
      PASSED_ON.flatMap((name) => (search.has(name) ? [[name, search.get(name) ?? '']] : [])),
    );
    const run = async (attempt: number): Promise<void> => {
      const reply = await finish({ provider, params });
      if (reply.data && isSecondStep(reply.data)) await navigate(SECOND_STEP_PATH, { replace: true });
      else if (reply.data !== undefined) {
        if (reply.data) dispatch(signedIn(reply.data));
        dispatch(toastShown({ severity: 'success', key: reply.data ? 'oauth:signedIn' : 'oauth:bound' }));
        await navigate(reply.data ? '/token' : '/setting', { replace: true });
      } else if (isLost(reply.error) && attempt < MAX_RETRIES) {
        setRetries(attempt + 1);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        await run(attempt + 1);
      } else setFailed(true);
    };
    void run(0);
  }, [dispatch, finish, navigate, provider, search]);
  return { provider, retries, failed, error };
}

function Failure({ provider, error }: { provider: string; error: unknown }) {
  const { t } = useTranslation('oauth');
  const { go, busy } = useAuthorize();
  const navigate = useNavigate();
  const row = providers.find(({ id }) => id === provider);
  useEffect(() => {
    if (error == null) return;
    const timer = setTimeout(() => void navigate('/setting', { replace: true }), STAY_MS);
    return () => clearTimeout(timer);
  }, [navigate, error]);
  return (
    <Stack spacing={2}>
      {error == null ? (
        <Callout severity="info">{t('nothing')}</Callout>
      ) : (
        <>
          <Refusal error={error} fallback={t('title')} />
          <Typography variant="body2">{t('failed')}</Typography>
        </>
      )}
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        {row && (
          <BusyButton
            variant="contained"
            busy={busy}
            onClick={() => void go(row.id as OauthProvider, { newTab: false })}
          >
            {t('again')}
          </BusyButton>
        )}
        <Button component={Link} to="/setting" replace>
          {t('back')}
        </Button>
      </Box>
    </Stack>
  );
}

/** The page to which a login provider redirects the browser. */
export function OauthPage() {
  const { t } = useTranslation('oauth');
  const { provider, retries, failed, error } = useReturn();
  return (
    <EntryCard title={t('title')}>
      {failed ? (
        <Failure provider={provider} error={error} />
      ) : (
        <Stack spacing={2} sx={{ alignItems: 'center', py: 3 }} role="status">
          <CircularProgress aria-hidden />
          <Typography>{retries > 0 ? t('retrying', { count: retries }) : t('working')}</Typography>
        </Stack>
      )}
    </EntryCard>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Job, JobResult } from '../app/slices/jobs.js';
import { jobCancelled, jobShown, selectJob, selectJobOpen } from '../app/slices/jobs.js';
import { useAppDispatch, useAppSelector } from '../app/store.js';

const isRunning = ({ state }: Job): boolean => state === 'running' || state === 'cancelling';

function ResultLine({ result }: { result: JobResult }) {
  const { name, ok, text, to } = result;
  return (
    <Box component="li" sx={{ py: 0.5, borderBottom: 1, borderColor: 'border.subtle', overflowWrap: 'anywhere' }}>
      <Typography variant="body2">
        <Box component="span" sx={{ color: ok ? 'success.main' : 'error.main', mr: 1 }}>
          {ok ? '✓' : '✕'}
        </Box>
        {to ? <Link to={to}>{name}</Link> : name}
      </Typography>
      <Typography variant="caption" sx={{ color: ok ? 'text.tertiary' : 'error.main', pl: 2.5, display: 'block' }}>
        {text}
      </Typography>
    </Box>
  );
}

function Results({ job }: { job: Job }) {
  // Failures first, newest first within each kind.
  const sorted = [...job.results].reverse().sort((one, other) => Number(one.ok) - Number(other.ok));
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, overflowY: 'auto', flex: 1 }}>
      {sorted.map((result, index) => (
        <ResultLine key={`${result.name}-${index}`} result={result} />
      ))}
    </Box>
  );
}

function Summary({ job }: { job: Job }) {
  const { t } = useTranslation();
  const failed = job.results.filter(({ ok }) => !ok).length;
  const done = job.results.length;
  const counts = { done: done - failed, failed, skipped: job.total - done };
  if (isRunning(job)) return t('job.progress', { done, total: job.total });
  return t('job.summary', counts);
}

const place = {
  position: 'fixed',
  right: { xs: 0, sm: 16 },
  bottom: { xs: 0, sm: 16 },
  width: { xs: '100%', sm: 420 },
  maxHeight: '60dvh',
  zIndex: 'snackbar',
  display: 'flex',
  flexDirection: 'column',
  gap: 1,
  p: 2,
  bgcolor: 'background.raised',
  border: 1,
  borderColor: 'border.subtle',
  borderRadius: '12px',
  boxShadow: '0 8px 24px var(--tg-shadow-float)',
} as const;

/** A long action at work, at the lower right; it can be hidden and comes back from its button. */
export function ProgressDrawer() {
  const { t } = useTranslation();
  const dispatch = useAppDispatch();
  const job = useAppSelector(selectJob);
  const open = useAppSelector(selectJobOpen);
  if (!job) return null;
  const running = isRunning(job);
  if (!open) {
    return (
      <Button
        variant="contained"
        onClick={() => dispatch(jobShown(true))}
        sx={{ position: 'fixed', right: 16, bottom: 16, zIndex: 'snackbar' }}
      >
        {t(job.titleKey)} · {job.results.length}/{job.total}
      </Button>
    );
  }
  return (
    <Paper component="section" aria-label={t(job.titleKey)} sx={place}>
      <Typography variant="h6" component="h2">
        {t(job.titleKey)}
      </Typography>
      <LinearProgress
        variant="determinate"
        value={(job.results.length / Math.max(1, job.total)) * 100}
        aria-label={t(job.titleKey)}
      />
      <Typography variant="body2" role="status" sx={{ color: 'text.secondary' }}>
        <Summary job={job} />
      </Typography>
      <Results job={job} />
      <Stack direction="row" spacing={1} sx={{ justifyContent: 'flex-end' }}>
        {running && (
          <Button
            color="error"
            onClick={() => dispatch(jobCancelled())}
            disabled={job.state === 'cancelling'}
            title={t('job.cancelHint')}
          >
            {t('action.cancel')}
          </Button>
        )}
        <Button onClick={() => dispatch(jobShown(false))}>{running ? t('action.hide') : t('action.close')}</Button>
      </Stack>
    </Paper>
  );
}

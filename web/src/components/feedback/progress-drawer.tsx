import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { TFunction } from 'i18next';
import { describeError } from '../../api/api-error.js';
import { useSay } from '../../app/i18n/text-keys.js';
import type { Job, JobResult, Saying } from '../../app/slices/jobs.js';
import { isRunning, jobCancelled, jobClosed, jobsShown, selectJobs, selectJobsOpen } from '../../app/slices/jobs.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { formatTime } from '../basics/time-format.js';

/** Height of a line of text in pixels. The list's height is a multiple of it, so that no line is cut in half. */
const LINE = 24;

function useSaying() {
  const say = useSay();
  return (saying: Saying): string => {
    if (typeof saying === 'string') return saying;
    return 'key' in saying ? say(saying.key, saying.values) : describeError(saying.error);
  };
}

function ResultLine({ result }: { result: JobResult }) {
  const { ok, to } = result;
  const saying = useSaying();
  const [name, text] = [saying(result.name), saying(result.text)];
  return (
    <Box
      component="li"
      sx={{
        // An inset shadow instead of a border, which would add to the height of the line.
        boxShadow: 'inset 0 -1px 0 var(--tg-palette-border-subtle)',
        overflowWrap: 'anywhere',
        '& > *': { lineHeight: `${LINE}px` },
      }}
    >
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

function Results({ job, tall }: { job: Job; tall: boolean }) {
  // Failures first; within failures and successes the newest first.
  const sorted = [...job.results].reverse().sort((one, other) => Number(one.ok) - Number(other.ok));
  const maxHeight = tall ? `round(down, 36dvh, ${LINE}px)` : 6 * LINE;
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, overflowY: 'auto', flexShrink: 0, maxHeight }}>
      {sorted.map((result, index) => (
        <ResultLine key={sorted.length - index} result={result} />
      ))}
    </Box>
  );
}

function summaryOf({ results, total, pausedUntil, ...job }: Job, t: TFunction): string {
  const failed = results.filter(({ ok }) => !ok).length;
  const done = results.length;
  if (!isRunning(job)) return t('job.summary', { done: done - failed, failed, skipped: total - done });
  if (pausedUntil === undefined) return t('job.progress', { done, total });
  return t('job.paused', { done, total, time: formatTime(Math.ceil(pausedUntil / 1000)).slice(-8) });
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
  gap: 2,
  p: 2,
  overflowY: 'auto',
  bgcolor: 'background.raised',
  border: 1,
  borderColor: 'border.subtle',
  borderRadius: '12px',
  boxShadow: '0 8px 24px var(--tg-shadow-float)',
} as const;

function JobPanel({ job, alone }: { job: Job; alone: boolean }) {
  const { t } = useTranslation();
  const say = useSay();
  const dispatch = useAppDispatch();
  const running = isRunning(job);
  const title = say(job.titleKey);
  return (
    <Stack component="section" aria-label={title} data-job={job.state} spacing={1} sx={{ minHeight: 0 }}>
      <Typography variant="h6" component="h2">
        {title}
      </Typography>
      <LinearProgress
        variant="determinate"
        value={(job.results.length / Math.max(1, job.total)) * 100}
        aria-label={title}
      />
      <Typography variant="body2" role="status" sx={{ color: 'text.secondary' }}>
        {summaryOf(job, t)}
      </Typography>
      <Results job={job} tall={alone} />
      <Stack direction="row" spacing={1} sx={{ justifyContent: 'flex-end' }}>
        {running && (
          <Button
            color="error"
            onClick={() => dispatch(jobCancelled(job.id))}
            disabled={job.state === 'cancelling'}
            title={t('job.cancelHint')}
          >
            {t('action.cancel')}
          </Button>
        )}
        {alone && running && <Button onClick={() => dispatch(jobsShown(false))}>{t('action.hide')}</Button>}
        {!running && <Button onClick={() => dispatch(jobClosed(job.id))}>{t('action.close')}</Button>}
      </Stack>
    </Stack>
  );
}

/** The button that reopens the hidden drawer. */
function Pill({ jobs }: { jobs: Job[] }) {
  const { t } = useTranslation();
  const say = useSay();
  const dispatch = useAppDispatch();
  const running = jobs.filter(isRunning);
  const [only] = jobs;
  const label =
    jobs.length === 1 && only
      ? `${say(only.titleKey)} · ${only.results.length}/${only.total}`
      : t(running.length > 0 ? 'job.running' : 'job.finished', { count: running.length || jobs.length });
  return (
    <Button
      variant="contained"
      onClick={() => dispatch(jobsShown(true))}
      sx={{ position: 'fixed', right: 16, bottom: 16, zIndex: 'snackbar' }}
    >
      {label}
    </Button>
  );
}

/**
 * Long actions in progress, at the lower right with the newest on top. While the drawer is hidden they continue, and a button reopens it.
 */
export function ProgressDrawer() {
  const { t } = useTranslation();
  const dispatch = useAppDispatch();
  const jobs = useAppSelector(selectJobs);
  const open = useAppSelector(selectJobsOpen);
  if (jobs.length === 0) return null;
  if (!open) return <Pill jobs={jobs} />;
  return (
    <Paper component="aside" data-jobs aria-label={t('job.region')} sx={place}>
      {[...jobs].reverse().map((job) => (
        <JobPanel key={job.id} job={job} alone={jobs.length === 1} />
      ))}
      {jobs.length > 1 && (
        <Button sx={{ alignSelf: 'flex-end' }} onClick={() => dispatch(jobsShown(false))}>
          {t('action.hide')}
        </Button>
      )}
    </Paper>
  );
}

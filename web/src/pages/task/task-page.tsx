import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import type { CreativeTask } from '@tollgate/contracts/api/task';
import { Role } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { useListTasksQuery } from '../../api/task.api.js';
import type { TagColor } from '../../app/palette.js';
import { foldColumns } from '../../components/tables/table-columns.js';
import { Tag } from '../../components/texts/tag.js';
import { ChannelTag, SpentTag } from '../../components/tasks/task-cells.js';
import { percentOf, secondsSpent, taskFilter } from '../../components/tasks/task-list.js';
import { FailureCell, OpenText, TaskLog, useTaskLog } from '../../components/tasks/task-log.js';
import { formatTime, zoneName } from '../../components/basics/time-format.js';
import { TimeText } from '../../components/texts/time-text.js';

const filter = taskFilter('today');
const MOST_SECONDS = 60;
const statusColors: Record<string, TagColor> = {
  '': 'grey',
  NOT_START: 'grey',
  SUBMITTED: 'yellow',
  QUEUED: 'orange',
  IN_PROGRESS: 'blue',
  SUCCESS: 'green',
  FAILURE: 'red',
  UNKNOWN: 'grey',
};

function StatusCell({ status }: CreativeTask) {
  const { t } = useTranslation('task');
  const known = Object.hasOwn(statusColors, status);
  return (
    <Tag color={known ? statusColors[status] : undefined} title={known ? undefined : status}>
      {t(`status.${(known ? status || 'SUBMITTING' : 'UNKNOWN') as 'SUCCESS'}`)}
    </Tag>
  );
}

function ActionCell({ action }: CreativeTask) {
  const { t } = useTranslation('task');
  const known = action === 'MUSIC' || action === 'LYRICS';
  return <Tag color={action === 'LYRICS' ? 'pink' : 'blue'}>{known ? t(`type.${action}`) : t('type.unknown')}</Tag>;
}

/** The progress as a ring with its percentage, or the upstream's text if that is no percentage. */
function ProgressCell({ progress, status }: CreativeTask) {
  const { t } = useTranslation('task');
  const percent = percentOf(progress);
  if (percent === undefined) return progress || '—';
  return (
    <Box sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75, verticalAlign: 'middle' }}>
      <CircularProgress
        variant="determinate"
        enableTrackSlot
        value={percent}
        size={20}
        thickness={6}
        color={status === 'FAILURE' ? 'warning' : 'primary'}
        aria-label={t('column.progress')}
      />
      <span>{progress}</span>
    </Box>
  );
}

function SpentCell({ submit_time: from, finish_time: to }: CreativeTask) {
  const { t } = useTranslation('task');
  const seconds = secondsSpent(from, to, 1);
  return <SpentTag seconds={seconds} most={MOST_SECONDS} text={t('seconds', { n: seconds ?? '' })} />;
}

function RecordCell({ task }: { task: CreativeTask }) {
  const { t } = useTranslation('task');
  const { task_id: id } = task;
  return <OpenText label={id || '—'} title={t('record', { id })} whole={() => JSON.stringify(task, null, 2)} mono />;
}

function ReasonCell({ task }: { task: CreativeTask }) {
  const { t } = useTranslation('task');
  return <FailureCell task={task} title={t('column.reason')} />;
}

const moment = (at: number) => (at > 0 ? <TimeText at={at} /> : '—');

const ACTIONS_PX = 64;

export const taskColumns = foldColumns<CreativeTask>(
  [
    {
      id: 'submitted',
      header: 'task:column.submitted',
      width: 148,
      least: 140,
      mobile: 'field',
      text: ({ submit_time: at }) => formatTime(at),
      cell: ({ submit_time: at }) => moment(at),
    },
    {
      id: 'finished',
      header: 'task:column.finished',
      width: 148,
      least: 140,
      cell: ({ finish_time: at }) => moment(at),
    },
    {
      id: 'progress',
      header: 'task:column.progress',
      width: 88,
      least: 76,
      mobile: 'field',
      cell: (row) => <ProgressCell {...row} />,
    },
    {
      id: 'spent',
      header: 'task:column.spent',
      width: 78,
      least: 70,
      mobile: 'field',
      cell: (row) => <SpentCell {...row} />,
    },
    {
      id: 'channel',
      header: 'task:column.channel',
      width: 78,
      least: 72,
      minRole: Role.admin,
      cell: ({ channel_id: id }) => <ChannelTag id={id} />,
    },
    {
      id: 'platform',
      header: 'task:column.platform',
      width: 82,
      least: 76,
      cell: ({ platform }) => <Tag color="green">{platform === 'suno' ? 'Suno' : platform}</Tag>,
    },
    {
      id: 'type',
      header: 'task:column.type',
      width: 86,
      least: 78,
      mobile: 'title',
      cell: (row) => <ActionCell {...row} />,
    },
    {
      id: 'id',
      header: 'task:column.id',
      width: 'grow',
      least: 124,
      mobile: 'title',
      cell: (task) => <RecordCell task={task} />,
    },
    {
      id: 'status',
      header: 'task:column.status',
      width: 88,
      least: 82,
      mobile: 'badge',
      cell: (row) => <StatusCell {...row} />,
    },
    {
      id: 'reason',
      header: 'task:column.reason',
      width: 158,
      least: 108,
      mobile: 'field',
      cell: (task) => <ReasonCell task={task} />,
    },
  ],
  ['type', 'reason', 'finished', 'spent', 'platform', 'channel'],
  { beside: ACTIONS_PX },
);

/** Tasks for songs and lyrics: the user's own, or for administrators those of all users. */
export function TaskPage() {
  const { t } = useTranslation('task');
  const log = useTaskLog('task', filter);
  return (
    <TaskLog
      log={log}
      rows={useListTasksQuery(log.request, log.polling)}
      columns={taskColumns}
      nameOf={({ task_id: id }) => id}
      words={{
        title: t('title'),
        purpose: t('purpose', { zone: zoneName() }),
        empty: (range) => t('empty.title', { range }),
        hint: t('empty.body'),
      }}
    />
  );
}

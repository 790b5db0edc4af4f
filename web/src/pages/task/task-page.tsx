import CircularProgress from '@mui/material/CircularProgress';
import Box from '@mui/material/Box';
import type { CreativeTask } from '@tollgate/contracts/api/task';
import { isAdmin, Role } from '@tollgate/contracts/roles';
import { createContext, Suspense, useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useListTasksQuery } from '../../api/task.api.js';
import type { TagColor } from '../../app/palette.js';
import { selectRole } from '../../app/slices/session.js';
import { useAppSelector } from '../../app/store.js';
import { FilterBar } from '../../components/filter-bar.js';
import { lazyPart } from '../../components/lazy-part.js';
import { useListState } from '../../components/list-state.js';
import { PageHeader } from '../../components/page-header.js';
import { ResourceTable } from '../../components/resource-table.js';
import { Tag } from '../../components/tag.js';
import type { Column } from '../../components/table-types.js';
import { ChannelTag, MoreText, SpentTag } from '../../components/task-cells.js';
import { useTaskFields } from '../../components/task-fields.js';
import {
  goesOn,
  LOOK_AGAIN_MS,
  percentOf,
  secondsSpent,
  taskFilter,
  useTaskRequest,
} from '../../components/task-list.js';
import { formatTime, zoneName } from '../../components/time-format.js';
import { TimeText } from '../../components/time-text.js';

const TextDialog = lazyPart(async () => (await import('../../components/text-dialog.js')).TextDialog);

type Opened = { task: CreativeTask; part: 'record' | 'reason' };
const OpenContext = createContext<(opened: Opened) => void>(() => undefined);

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
  const known = status in statusColors;
  return (
    <Tag color={statusColors[status]} title={known ? undefined : status}>
      {t(`status.${(known ? status || 'SUBMITTING' : 'UNKNOWN') as 'SUCCESS'}`)}
    </Tag>
  );
}

function ActionCell({ action }: CreativeTask) {
  const { t } = useTranslation('task');
  const known = action === 'MUSIC' || action === 'LYRICS';
  return <Tag color={action === 'LYRICS' ? 'pink' : 'blue'}>{known ? t(`type.${action}`) : t('type.unknown')}</Tag>;
}

/** A ring with its number, or what was told in its place. */
function ProgressCell({ progress, status }: CreativeTask) {
  const { t } = useTranslation('task');
  const percent = percentOf(progress);
  if (percent === undefined) return progress || '—';
  return (
    <Box sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75 }}>
      <CircularProgress
        variant="determinate"
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

function OpenerCell({ task, part }: Opened) {
  const open = useContext(OpenContext);
  const text = part === 'record' ? task.task_id || '—' : task.fail_reason;
  return <MoreText text={text} onOpen={() => open({ task, part })} />;
}

const moment = (at: number) => (at > 0 ? <TimeText at={at} /> : '—');

const columns: Column<CreativeTask>[] = [
  {
    id: 'submitted',
    header: 'task:column.submitted',
    width: 150,
    mobile: 'field',
    text: ({ submit_time: at }) => formatTime(at),
    cell: ({ submit_time: at }) => moment(at),
  },
  { id: 'finished', header: 'task:column.finished', width: 150, cell: ({ finish_time: at }) => moment(at) },
  {
    id: 'progress',
    header: 'task:column.progress',
    width: 96,
    mobile: 'field',
    cell: (row) => <ProgressCell {...row} />,
  },
  { id: 'spent', header: 'task:column.spent', width: 84, mobile: 'field', cell: (row) => <SpentCell {...row} /> },
  {
    id: 'channel',
    header: 'task:column.channel',
    width: 68,
    minRole: Role.admin,
    cell: ({ channel_id: id }) => <ChannelTag id={id} />,
  },
  {
    id: 'platform',
    header: 'task:column.platform',
    width: 76,
    cell: ({ platform }) => <Tag color="green">{platform === 'suno' ? 'Suno' : platform}</Tag>,
  },
  { id: 'type', header: 'task:column.type', width: 92, cell: (row) => <ActionCell {...row} /> },
  {
    id: 'id',
    header: 'task:column.id',
    width: 'grow',
    mobile: 'title',
    cell: (task) => <OpenerCell task={task} part="record" />,
  },
  { id: 'status', header: 'task:column.status', width: 92, mobile: 'badge', cell: (row) => <StatusCell {...row} /> },
  {
    id: 'reason',
    header: 'task:column.reason',
    width: 160,
    mobile: 'field',
    cell: (task) => <OpenerCell task={task} part="reason" />,
  },
];

/** Songs and lyrics, one's own or everybody's; live while one of them goes on and somebody looks. */
export function TaskPage() {
  const { t } = useTranslation('task');
  const all = isAdmin(useAppSelector(selectRole));
  const list = useListState('task', filter);
  const { request, askAgain } = useTaskRequest(list, all);
  const [isLive, setLive] = useState(true);
  const tasks = useListTasksQuery(request, {
    pollingInterval: isLive ? LOOK_AGAIN_MS : 0,
    skipPollingIfUnfocused: true,
  });
  const live = goesOn(tasks.data?.items);
  if (live !== isLive) setLive(live);
  const [opened, setOpened] = useState<Opened>();
  const { fields, describe, active, range, wider } = useTaskFields(list, all);
  return (
    <OpenContext value={setOpened}>
      <PageHeader
        title={t('title')}
        purpose={t('purpose', { zone: zoneName() })}
        freshness={{ at: tasks.fulfilledTimeStamp, refetch: askAgain }}
      />
      <ResourceTable<CreativeTask>
        id="task"
        label={t('title')}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ task_id: id }) => id}
        query={tasks}
        list={{ ...list, active }}
        density="compact"
        empty={{ title: t('empty.title', { range }), body: t('empty.body'), action: wider }}
        toolbar={<FilterBar fields={fields} list={list} refetch={askAgain} describe={describe} />}
        filterText={active.flatMap((name) => describe(name, list.filter[name]) ?? []).join(', ')}
      />
      {opened && (
        <Suspense fallback={null}>
          <TextDialog
            title={opened.part === 'record' ? t('record', { id: opened.task.task_id }) : t('column.reason')}
            text={opened.part === 'record' ? JSON.stringify(opened.task, null, 2) : opened.task.fail_reason}
            mono={opened.part === 'record'}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </OpenContext>
  );
}

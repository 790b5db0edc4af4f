import ProofIcon from '@mui/icons-material/AccountTreeOutlined';
import Box from '@mui/material/Box';
import type { CreativeTask, Drawing } from '@tollgate/contracts/api/task';
import { isAdmin } from '@tollgate/contracts/roles';
import type { ReactNode } from 'react';
import { Suspense, useCallback, useContext, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { selectRole } from '../../app/slices/session.js';
import { useAppSelector } from '../../app/store.js';
import { FilterBar } from '../filters/filter-bar.js';
import { useCards } from '../basics/use-media.js';
import { lazyPart } from '../basics/lazy-part.js';
import type { FilterSpec } from '../tables/list-state.js';
import { useListState } from '../tables/list-state.js';
import { PageHeader } from '../layout/page-header.js';
import { formatQuota } from '../money/quota-format.js';
import { useQuotaScale } from '../money/quota-text.js';
import { ResourceTable } from '../tables/resource-table.js';
import type { Column, RowAction, TableQuery } from '../tables/table-types.js';
import { Tag } from '../texts/tag.js';
import { MoreText } from './task-cells.js';
import { useTaskFields } from './task-fields.js';
import type { DrawOpened, TaskFilter } from './task-list.js';
import { goesOn, LOOK_AGAIN_MS, OpenContext, useTaskRequest } from './task-list.js';

const TextDialog = lazyPart(async () => (await import('../overlays/text-dialog.js')).TextDialog);

type Task = Drawing | CreativeTask;
type TaskState = ReturnType<typeof useTaskLog>;

interface OpenTextProps {
  /** The text in the cell. */
  label: string;
  title: string;
  /** Creates the whole text when it is opened. */
  whole?: () => string;
  mono?: boolean;
}

/** A text in a cell; a click opens the whole of it above the page. */
export function OpenText({ label, title, whole = () => label, mono }: OpenTextProps) {
  const open = useContext(OpenContext);
  const draw = () => open((close) => <TextDialog title={title} text={whole()} mono={mono} onClose={close} />);
  return <MoreText text={label} lang="" onOpen={draw} />;
}

/** Pixels that the reason has at least beside the amount. */
const REASON_PX = 36;

/** Why a task failed and how much was refunded. Without room for both in a cell, the amount is only in the opened text. */
export function FailureCell({ task, title }: { task: Task; title: string }) {
  const { t } = useTranslation();
  const scale = useQuotaScale();
  const { fail_reason: reason, quota, refunded } = task;
  const back = refunded && quota > 0 ? t('taskList.refunded', { amount: formatQuota(quota, scale) }) : undefined;
  return (
    // What does not fit wraps to a second line, which is clipped.
    <Box
      sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 0.5, height: 24, alignItems: 'center', overflow: 'hidden' }}
    >
      {reason !== '' && (
        <Box
          component="span"
          sx={{ display: 'flex', flex: `1 1 ${REASON_PX}px`, minWidth: 0, maxWidth: 'max-content' }}
        >
          <OpenText label={reason} title={back ? `${title} · ${back}` : title} />
        </Box>
      )}
      {back && <Tag color="green">{back}</Tag>}
    </Box>
  );
}

/** The query of a list of tasks: an administrator's covers all users. It polls while `isLive`. */
export function useTaskLog(id: 'midjourney' | 'task', spec: FilterSpec<TaskFilter>) {
  const all = isAdmin(useAppSelector(selectRole));
  const list = useListState(id, spec);
  const [isLive, setLive] = useState(true);
  const { request, askAgain } = useTaskRequest(list, all);
  const polling = { pollingInterval: isLive ? LOOK_AGAIN_MS : 0, skipPollingIfUnfocused: true };
  return { id, all, list, request, askAgain, polling, setLive };
}

interface TaskLogProps<Row extends Task> {
  log: TaskState;
  rows: TableQuery<Row> & { fulfilledTimeStamp?: number };
  columns: Column<Row>[];
  nameOf: (row: Row) => string;
  /** What a card offers before its other actions; in the table a cell does. */
  cardActions?: (row: Row, open: (draw: DrawOpened) => void) => RowAction[];
  words: { title: string; purpose: string; empty: (range: string) => string; hint: string };
  banner?: ReactNode;
}

/** The list page of one kind of task; it polls while one of them is unfinished and the window has the focus. */
export function TaskLog<Row extends Task>(props: TaskLogProps<Row>) {
  const { log, rows, columns, nameOf, cardActions, words, banner } = props;
  const { t } = useTranslation();
  const cards = useCards();
  const navigate = useNavigate();
  const { id, all, list, askAgain, setLive } = log;
  const [opened, setOpened] = useState<ReactNode>();
  const open = useCallback((draw: DrawOpened) => setOpened(draw(() => setOpened(undefined))), []);
  const live = goesOn(rows.data?.items);
  useEffect(() => setLive(live), [live, setLive]);
  const { fields, describe, active, range, next } = useTaskFields(list, all);
  return (
    <OpenContext value={open}>
      <PageHeader
        title={words.title}
        purpose={words.purpose}
        freshness={{ at: rows.fulfilledTimeStamp, refetch: askAgain }}
      />
      {banner}
      <ResourceTable<Row>
        id={id}
        label={words.title}
        columns={columns}
        rowId={({ id: row }) => row}
        rowName={nameOf}
        query={rows}
        list={{ ...list, active }}
        density="compact"
        actionsWidth={64}
        rowActions={(row) => [
          ...(cards ? (cardActions?.(row, open) ?? []) : []),
          {
            id: 'proof',
            label: t('posting.proof'),
            icon: <ProofIcon fontSize="small" />,
            run: () => void navigate(`/proof/task/${row.request_id}`),
          },
        ]}
        empty={{ title: words.empty(range), body: words.hint, action: next }}
        toolbar={<FilterBar fields={fields} list={list} refetch={askAgain} describe={describe} />}
        filterTexts={active.flatMap((name) => describe(name, list.filter[name]) ?? [])}
      />
      <Suspense fallback={null}>{opened}</Suspense>
    </OpenContext>
  );
}

import DetailIcon from '@mui/icons-material/ArticleOutlined';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { RefusedFilter, RefusedRow } from '../../api/audit.api.js';
import { auditApi, useListRefusedCallsQuery } from '../../api/audit.api.js';
import { csvName } from '../../app/download.js';
import { useAppDispatch } from '../../app/store.js';
import { csvTime } from '../../components/basics/csv.js';
import { exportRows } from '../../components/basics/export-rows.js';
import { idOrNone, useIdCheck } from '../../components/filters/use-id-check.js';
import { useOrderCheck } from '../../components/filters/use-order-check.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import type { FilterSpec } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { OwnWords } from '../../components/texts/own-words.js';
import { foldColumns } from '../../components/tables/table-columns.js';
import { formatTime } from '../../components/basics/time-format.js';
import { TimeText } from '../../components/texts/time-text.js';
import type { SectionProps } from './audit-table.js';
import { AuditTable, polling } from './audit-table.js';

const TextDialog = lazyPart(async () => (await import('../../components/overlays/text-dialog.js')).TextDialog);

const spec: FilterSpec<RefusedFilter> = {
  defaults: { request_id: '', reason: '', token_id: '', user_id: '', start_timestamp: '', end_timestamp: '' },
  accept: {
    token_id: idOrNone,
    user_id: idOrNone,
    start_timestamp: /^\d{0,12}$/,
    end_timestamp: /^\d{0,12}$/,
  },
};

const idOf = ({ minute, reason, status, token_id: token, user_id: user, model }: RefusedRow): string =>
  JSON.stringify([minute, reason, status, token, user, model]);
const nameOf = (name: string, id: number): string => (id === 0 ? '\u2014' : name ? `${name} #${id}` : `#${id}`);

const ACTIONS_PX = 64;

export const refusedColumns = foldColumns<RefusedRow>(
  [
    {
      id: 'time',
      header: 'audit:column.minute',
      width: 160,
      least: 140,
      mobile: 'field',
      text: ({ minute }) => formatTime(minute),
      cell: ({ minute }) => <TimeText at={minute} />,
    },
    {
      id: 'reason',
      header: 'audit:column.reason',
      width: 200,
      least: 132,
      mobile: 'title',
      text: ({ reason }) => reason,
      cell: ({ reason, status }) => `${status} ${reason}`,
    },
    {
      id: 'count',
      header: 'audit:column.count',
      width: 80,
      least: 60,
      align: 'right',
      mobile: 'badge',
      cell: ({ count }) => count,
    },
    {
      id: 'token',
      header: 'audit:column.token',
      width: 150,
      least: 90,
      mobile: 'field',
      text: ({ token_name: name, token_id: id }) => nameOf(name, id),
      cell: ({ token_name: name, token_id: id }) => nameOf(name, id),
    },
    {
      id: 'user',
      header: 'audit:column.user',
      width: 130,
      least: 80,
      mobile: 'field',
      cell: ({ username, user_id: id }) =>
        id === 0 ? '\u2014' : <Link to={`/user/edit/${id}`}>{username || `#${id}`}</Link>,
    },
    {
      id: 'model',
      header: 'audit:column.model',
      width: 150,
      least: 110,
      text: ({ model }) => model,
      cell: ({ model }) => model || '\u2014',
    },
    {
      id: 'message',
      header: 'audit:column.message',
      width: 'grow',
      least: 140,
      mobile: 'field',
      cell: ({ message }) => <OwnWords text={message} hint />,
    },
  ],
  ['user', 'token', 'model'],
  { beside: ACTIONS_PX },
);

function useFields(): FilterField<RefusedFilter>[] {
  const { t } = useTranslation('audit');
  const checkId = useIdCheck();
  const order = useOrderCheck();
  return [
    { name: 'request_id', kind: 'text', label: t('filter.request'), width: 150 },
    { name: 'reason', kind: 'text', label: t('filter.reason'), placeholder: 'invalid_token', width: 120 },
    { name: 'token_id', kind: 'text', label: t('filter.token'), width: 84, check: checkId },
    { name: 'user_id', kind: 'text', label: t('filter.user'), width: 84, check: checkId },
    { name: 'start_timestamp', kind: 'time', label: t('filter.start'), width: 188, check: order },
    { name: 'end_timestamp', kind: 'time', label: t('filter.end'), width: 188, check: order },
  ];
}

function useExport(filter: RefusedFilter) {
  const { t } = useTranslation('audit');
  const dispatch = useAppDispatch();
  const heads = ['minute', 'reason', 'count', 'token', 'user', 'model', 'message'] as const;
  return () =>
    dispatch(
      exportRows<RefusedRow>({
        texts: 'audit',
        fileOf: () => csvName('refused'),
        linesOf: (rows) => [
          heads.map((name) => t(`column.${name}`)),
          ...rows.map((row) => [
            csvTime(row.minute),
            row.reason,
            row.count,
            nameOf(row.token_name, row.token_id),
            nameOf(row.username, row.user_id),
            row.model,
            row.message,
          ]),
        ],
        idOf,
        load: (page, size) => (run) =>
          run(
            auditApi.endpoints.listRefusedCalls.initiate(
              { filter, page, size },
              { forceRefetch: true, subscribe: false },
            ),
          ).unwrap(),
      }),
    );
}

/** Calls that were refused before they cost anything; one row per minute, reason and token. */
export function RefusedSection({ onFresh }: SectionProps) {
  const { t } = useTranslation('audit');
  const list = useListState('refused', spec);
  const query = useListRefusedCallsQuery(list.request, polling);
  const [shown, setShown] = useState<RefusedRow>();
  return (
    <>
      <AuditTable
        id="refused"
        kind="refused"
        columns={refusedColumns}
        rowId={({ id }) => id}
        rowName={({ reason }) => reason}
        query={query}
        list={list}
        fields={useFields()}
        onExport={useExport(list.filter)}
        onFresh={onFresh}
        rowActions={(row) => [
          {
            id: 'view',
            label: t('action.details'),
            icon: <DetailIcon sx={{ fontSize: 18 }} />,
            run: () => setShown(row),
          },
        ]}
        actionsWidth={ACTIONS_PX}
        onOpen={setShown}
      />
      {shown && (
        <Suspense fallback={null}>
          <TextDialog
            title={t('ids', { reason: shown.reason })}
            text={[shown.message, '', ...shown.request_ids].join('\n')}
            mono
            onClose={() => setShown(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

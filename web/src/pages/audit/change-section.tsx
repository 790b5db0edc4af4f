import DetailIcon from '@mui/icons-material/ArticleOutlined';
import UndoIcon from '@mui/icons-material/UndoOutlined';
import type { AuditEntry } from '@tollgate/contracts/api/audit';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { AuditFilter } from '../../api/audit.api.js';
import { auditApi, useListAuditQuery } from '../../api/audit.api.js';
import { csvName } from '../../app/download.js';
import { useAppDispatch } from '../../app/store.js';
import { csvTime } from '../../components/basics/csv.js';
import { titleOf } from '../../components/basics/differences.js';
import { exportRows } from '../../components/basics/export-rows.js';
import { idOrNone, useIdCheck } from '../../components/filters/use-id-check.js';
import { useOrderCheck } from '../../components/filters/use-order-check.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import type { FilterSpec } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { OwnWords } from '../../components/texts/own-words.js';
import { foldColumns } from '../../components/tables/table-columns.js';
import type { RowAction } from '../../components/tables/table-types.js';
import { Tag } from '../../components/texts/tag.js';
import { formatTime } from '../../components/basics/time-format.js';
import { TimeText } from '../../components/texts/time-text.js';
import { ActionName, actionKinds } from './action-name.js';
import type { SectionProps } from './audit-table.js';
import { AuditTable, polling } from './audit-table.js';
import { differencesOf, undoOf } from './undo.js';
import { useUndo } from './use-undo.js';

const EntryDialog = lazyPart(async () => (await import('./entry-dialog.js')).EntryDialog);

const spec: FilterSpec<AuditFilter> = {
  defaults: { actor_id: '', action: '', subject: '', start_timestamp: '', end_timestamp: '' },
  accept: { actor_id: idOrNone, start_timestamp: /^\d{0,12}$/, end_timestamp: /^\d{0,12}$/ },
};
const small = { fontSize: 18 };

function ActorCell({ actor_id: id, actor_name: name }: AuditEntry) {
  const { t } = useTranslation('audit');
  return id === 0 ? <Tag>{t('system')}</Tag> : <Link to={`/user/edit/${id}`}>{name || `#${id}`}</Link>;
}

const summaryOf = (entry: AuditEntry): string =>
  differencesOf(entry)
    .map((row) => `${titleOf(row)}: ${row.before ?? '—'} → ${row.after ?? '—'}`)
    .join('; ') || entry.text;

const ACTIONS_PX = 96;

export const changeColumns = foldColumns<AuditEntry>(
  [
    {
      id: 'time',
      header: 'audit:column.time',
      width: 160,
      least: 140,
      mobile: 'field',
      text: ({ created_at: at }) => formatTime(at),
      cell: ({ created_at: at }) => <TimeText at={at} />,
    },
    {
      id: 'actor',
      header: 'audit:column.actor',
      width: 120,
      least: 92,
      mobile: 'badge',
      cell: (entry) => <ActorCell {...entry} />,
    },
    {
      id: 'action',
      header: 'audit:column.action',
      width: 228,
      least: 208,
      mobile: 'field',
      text: ({ action }) => action,
      cell: (entry) => <ActionName action={entry.action} />,
    },
    {
      id: 'subject',
      header: 'audit:column.subject',
      width: 200,
      least: 110,
      mobile: 'title',
      text: ({ subject }) => subject,
      cell: ({ subject }) => subject,
    },
    {
      id: 'change',
      header: 'audit:column.change',
      width: 'grow',
      least: 120,
      mobile: 'field',
      cell: (entry) => <OwnWords text={summaryOf(entry)} hint />,
    },
  ],
  ['actor', 'change'],
  { beside: ACTIONS_PX },
);

function useFields(): FilterField<AuditFilter>[] {
  const { t } = useTranslation('audit');
  const checkId = useIdCheck();
  const order = useOrderCheck();
  const options = [
    { value: '', label: t('all') },
    ...actionKinds.map((value) => ({ value, label: t(`kind.${value}`) })),
  ];
  return [
    { name: 'action', kind: 'select', label: t('column.action'), options, width: 120 },
    { name: 'subject', kind: 'text', label: t('column.subject'), placeholder: t('subjectHint'), width: 160 },
    { name: 'actor_id', kind: 'text', label: t('filter.actor'), width: 100, check: checkId },
    { name: 'start_timestamp', kind: 'time', label: t('filter.start'), width: 188, check: order },
    { name: 'end_timestamp', kind: 'time', label: t('filter.end'), width: 188, check: order },
  ];
}

function useWho() {
  const { t } = useTranslation('audit');
  return ({ actor_id: id, actor_name: name }: AuditEntry): string => (id === 0 ? t('system') : `${name} #${id}`);
}

function useExport(filter: AuditFilter) {
  const { t } = useTranslation('audit');
  const dispatch = useAppDispatch();
  const who = useWho();
  return () =>
    dispatch(
      exportRows<AuditEntry>({
        texts: 'audit',
        fileOf: () => csvName('audit'),
        linesOf: (entries) => [
          (['time', 'actor', 'action', 'subject', 'change'] as const).map((name) => t(`column.${name}`)),
          ...entries.map((one) => [csvTime(one.created_at), who(one), one.action, one.subject, summaryOf(one)]),
        ],
        idOf: ({ event_id: id }) => id,
        load: (page, size) => (run) =>
          run(
            auditApi.endpoints.listAudit.initiate({ filter, page, size }, { forceRefetch: true, subscribe: false }),
          ).unwrap(),
      }),
    );
}

/** Audited changes, newest first, each with an action that undoes it where that is possible. */
export function ChangeSection({ onFresh }: SectionProps) {
  const { t } = useTranslation('audit');
  const list = useListState('audit', spec);
  const query = useListAuditQuery(list.request, polling);
  const [shown, setShown] = useState<AuditEntry>();
  const { undo, dialog } = useUndo();
  const who = useWho();
  const actionsOf = (entry: AuditEntry): RowAction[] => {
    const found = undoOf(entry);
    return [
      { id: 'view', label: t('action.details'), icon: <DetailIcon sx={small} />, run: () => setShown(entry) },
      {
        id: 'undo',
        label: t('undo.action'),
        icon: <UndoIcon sx={small} />,
        danger: true,
        disabledReason: typeof found === 'string' ? t(`noUndo.${found}`) : undefined,
        run: () => undo(entry),
      },
    ];
  };
  return (
    <>
      <AuditTable
        id="audit"
        kind="changes"
        columns={changeColumns}
        rowId={({ id }) => id}
        rowName={({ subject }) => subject}
        query={query}
        list={list}
        fields={useFields()}
        onExport={useExport(list.filter)}
        onFresh={onFresh}
        rowActions={actionsOf}
        actionsWidth={ACTIONS_PX}
        onOpen={setShown}
      />
      {dialog}
      {shown && (
        <Suspense fallback={null}>
          <EntryDialog
            entry={shown}
            who={who(shown)}
            onUndo={() => (setShown(undefined), undo(shown))}
            onClose={() => setShown(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

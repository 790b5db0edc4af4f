import LockIcon from '@mui/icons-material/LockOutlined';
import Button from '@mui/material/Button';
import type { ClosedPeriod, PeriodCheck } from '@tollgate/contracts/api/statement';
import { isRoot } from '@tollgate/contracts/roles';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCheckPeriodMutation, useListClosedPeriodsQuery } from '../../api/statement.api.js';
import { selectRole } from '../../app/slices/session.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { Card } from '../../components/layout/card.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { useLocalList } from '../../components/tables/local-list.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { DaySpan } from '../../components/texts/day-span.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import type { Column } from '../../components/tables/table-types.js';
import { TimeText } from '../../components/texts/time-text.js';

const CloseDialog = lazyPart(async () => (await import('./close-dialog.js')).CloseDialog);

function Span({ period }: { period: ClosedPeriod }) {
  const { t } = useTranslation('statement');
  return <DaySpan from={period.first_day || t('periods.beginning')} to={period.last_day} />;
}

function Signature({ seal }: { seal: NonNullable<ClosedPeriod['seal']> }) {
  const { t } = useTranslation('statement');
  return seal.signature ? <code>{seal.signature}</code> : t('periods.unsigned');
}

const outcomeOf = ({ matches, signature }: PeriodCheck): 'matches' | 'differs' | 'wrong' => {
  if (!matches) return 'differs';
  return signature === 'wrong' ? 'wrong' : 'matches';
};

const columns: Column<ClosedPeriod>[] = [
  {
    id: 'span',
    header: 'statement:periods.span',
    width: 210,
    least: 172,
    mobile: 'title',
    cell: (row) => <Span period={row} />,
  },
  {
    id: 'postings',
    header: 'statement:periods.postings',
    width: 100,
    least: 84,
    align: 'right',
    mobile: 'field',
    cell: ({ seal }) => (seal ? formatUnits(seal.postings) : null),
  },
  {
    id: 'digest',
    header: 'statement:periods.digest',
    width: 'grow',
    least: 110,
    text: ({ seal }) => seal?.digest ?? '',
    cell: ({ seal }) => <code>{seal?.digest}</code>,
  },
  {
    id: 'signature',
    header: 'statement:periods.signature',
    width: 140,
    least: 100,
    roomy: true,
    text: ({ seal }) => seal?.signature ?? '',
    cell: ({ seal }) => (seal ? <Signature seal={seal} /> : null),
  },
  {
    id: 'closed',
    header: 'statement:periods.closed',
    width: 160,
    least: 140,
    mobile: 'field',
    cell: (row) => <TimeText at={row.closed_time} />,
  },
  { id: 'actor', header: 'statement:periods.actor', width: 80, least: 64, roomy: true, cell: (row) => row.actor_id },
  {
    id: 'note',
    header: 'statement:periods.note',
    width: 140,
    least: 90,
    roomy: true,
    text: ({ note }) => note,
    cell: ({ note }) => note,
  },
];

/** What is closed for ever, with the digests by which anybody may check it. */
export function PeriodCard() {
  const { t } = useTranslation('statement');
  const dispatch = useAppDispatch();
  const role = useAppSelector(selectRole);
  const list = useLocalList<Record<string, string>>({});
  const { page, size } = list;
  const query = useListClosedPeriodsQuery({ page, size });
  const [check] = useCheckPeriodMutation();
  const [closing, setClosing] = useState(false);
  const look = async (id: number) => {
    const { data, error } = await check(id);
    if (data) {
      const outcome = outcomeOf(data);
      dispatch(
        toastShown({ severity: outcome === 'matches' ? 'success' : 'error', key: `statement:periods.${outcome}` }),
      );
    } else if (error) dispatch(toastShown({ severity: 'error', error: error as never }));
  };
  const last = query.data?.items[0]?.last_day;
  return (
    <Card
      title={t('periods.title')}
      className="no-print"
      action={
        isRoot(role) && (
          <Button startIcon={<LockIcon />} onClick={() => setClosing(true)}>
            {t('periods.close')}
          </Button>
        )
      }
    >
      <ResourceTable
        id="closed-periods"
        label={t('periods.title')}
        columns={columns}
        rowId={({ id }) => id}
        rowName={(row) => row.last_day}
        query={query}
        list={list}
        density="compact"
        asHighAsRows
        actionsWidth={96}
        rowActions={({ id }) => [{ id: 'check', label: t('periods.check'), run: () => void look(id) }]}
        empty={{ title: t('periods.empty'), body: t('periods.emptyBody') }}
      />
      <Suspense fallback={null}>{closing && <CloseDialog last={last} onClose={() => setClosing(false)} />}</Suspense>
    </Card>
  );
}

import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import TuneIcon from '@mui/icons-material/TuneOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import type { TokenBudget } from '@tollgate/contracts/api/journal';
import type { TopUpOrder } from '@tollgate/contracts/api/top-up';
import { topUpStatuses } from '@tollgate/contracts/api/top-up-statuses';
import type { User } from '@tollgate/contracts/api/user';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { noJournalFilter, useListJournalQuery, useListTokenBudgetsQuery } from '../../api/journal.api.js';
import { useListTopUpsQuery } from '../../api/top-up.api.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { narrowJournal } from '../../components/journal/journal-columns.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { useLocalList } from '../../components/tables/local-list.js';
import { NativeField } from '../../components/forms/native-field.js';
import { useJournalExport, usePostingCodes } from '../../components/journal/posting-filter.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import { StatusChip } from '../../components/texts/status-chip.js';
import type { Column } from '../../components/tables/table-types.js';
import { TimeText } from '../../components/texts/time-text.js';

const BudgetDialog = lazyPart(async () => (await import('./budget-dialog.js')).BudgetDialog);

const tokenColumns: Column<TokenBudget>[] = [
  {
    id: 'name',
    header: 'user:money.token',
    width: 'grow',
    mobile: 'title',
    text: (row) => row.name,
    cell: (row) => row.name,
  },
  {
    id: 'left',
    header: 'user:money.left',
    width: 120,
    align: 'right',
    mobile: 'field',
    cell: (row) => <Left token={row} />,
  },
  {
    id: 'used',
    header: 'user:money.used',
    width: 110,
    align: 'right',
    mobile: 'field',
    cell: (row) => <QuotaText quota={row.used_quota} />,
  },
];

function Left({ token }: { token: TokenBudget }) {
  const { t } = useTranslation();
  return token.unlimited_quota ? t('quota.unlimited') : <QuotaText quota={token.remain_quota} balance />;
}

/** The tokens of a user with their budgets; the keys are not shown. */
function Budgets({ user }: { user: User }) {
  const { t } = useTranslation('user');
  const list = useLocalList<Record<string, string>>({});
  const { page, size } = list;
  const query = useListTokenBudgetsQuery({ userId: user.id, page, size });
  const [changed, setChanged] = useState<TokenBudget>();
  return (
    <>
      <ResourceTable
        id="user-tokens"
        label={t('money.tokens')}
        columns={tokenColumns}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        query={query}
        list={list}
        density="compact"
        actionsWidth={64}
        rowActions={(token) => [
          { id: 'budget', label: t('money.change'), icon: <TuneIcon fontSize="small" />, run: () => setChanged(token) },
        ]}
        empty={{ title: t('money.noTokens') }}
      />
      <Suspense fallback={null}>
        {changed && <BudgetDialog token={changed} onClose={() => setChanged(undefined)} />}
      </Suspense>
    </>
  );
}

function ExportButton({ start, busy }: ReturnType<typeof useJournalExport>) {
  const { t } = useTranslation();
  return (
    <BusyButton color="inherit" startIcon={<DownloadIcon />} busy={busy} onClick={start}>
      {t('posting.export')}
    </BusyButton>
  );
}

const noCode = { code: '' };

function Journal({ user }: { user: User }) {
  const { t } = useTranslation('user');
  const list = useLocalList(noCode);
  const { page, size, filter } = list;
  const asked = useMemo(() => ({ ...noJournalFilter, ...filter, user_id: String(user.id) }), [filter, user.id]);
  const query = useListJournalQuery({ page, size, filter: asked });
  const options = usePostingCodes();
  const write = useJournalExport(asked);
  return (
    <ResourceTable
      id="user-journal"
      label={t('money.journal')}
      columns={narrowJournal}
      rowId={({ row }) => row}
      rowName={({ reference }) => reference}
      query={query}
      list={list}
      density="compact"
      empty={{ title: t('posting.empty') }}
      toolbar={
        <>
          <NativeField
            label={t('posting.code')}
            value={filter.code}
            options={options}
            onChange={(code) => list.apply({ code })}
            width={180}
          />
          <ExportButton {...write} />
        </>
      }
    />
  );
}

const orderColumns: Column<TopUpOrder>[] = [
  {
    id: 'no',
    header: 'user:money.order',
    width: 'grow',
    mobile: 'title',
    text: (row) => row.trade_no,
    cell: (row) => row.trade_no,
  },
  {
    id: 'status',
    header: 'user:money.status',
    width: 96,
    mobile: 'badge',
    cell: (row) => <StatusChip status={row.status} />,
  },
  {
    id: 'quota',
    header: 'user:money.quota',
    width: 88,
    align: 'right',
    mobile: 'field',
    cell: (row) => <QuotaText quota={row.quota} />,
  },
  {
    id: 'time',
    header: 'user:money.created',
    width: 160,
    mobile: 'field',
    cell: (row) => <TimeText at={row.create_time} />,
  },
];
const noStatus = { status: '' };

function Orders({ user }: { user: User }) {
  const { t } = useTranslation('user');
  const navigate = useNavigate();
  const list = useLocalList(noStatus);
  const { page, size, filter } = list;
  const asked = { keyword: '', provider: '', status: filter.status, user_id: String(user.id) };
  const query = useListTopUpsQuery({ page, size, filter: asked, all: true });
  const options = [
    { value: '', label: t('money.allStatuses') },
    ...topUpStatuses.map((value) => ({ value, label: t(`status.${value}`) })),
  ];
  return (
    <ResourceTable
      id="user-orders"
      label={t('orders')}
      columns={orderColumns}
      rowId={({ id }) => id}
      rowName={(row) => row.trade_no}
      query={query}
      list={list}
      density="compact"
      empty={{ title: t('money.noOrders') }}
      toolbar={
        <>
          <NativeField
            label={t('money.status')}
            value={filter.status}
            options={options}
            onChange={(status) => list.apply({ status })}
            width={140}
          />
          <Button color="inherit" onClick={() => void navigate(`/topup?orders=all&user_id=${user.id}`)}>
            {t('money.allOrders')}
          </Button>
        </>
      }
    />
  );
}

const parts = { tokens: Budgets, journal: Journal, orders: Orders } as const;
type Part = keyof typeof parts;

/** The wallet of a user, its movements and payments. */
export function UserMoney({ user }: { user: User }) {
  const { t } = useTranslation('user');
  const [part, setPart] = useState<Part>('tokens');
  const Shown = parts[part];
  const words: Record<Part, string> = { tokens: t('money.tokens'), journal: t('money.journal'), orders: t('orders') };
  return (
    <Box component="section" aria-label={t('money.title')} sx={{ minWidth: 0 }}>
      <Tabs value={part} onChange={(_, next: Part) => setPart(next)} aria-label={t('money.title')} sx={{ mb: 1 }}>
        {(Object.keys(parts) as Part[]).map((id) => (
          <Tab key={id} value={id} label={words[id]} />
        ))}
      </Tabs>
      <Shown user={user} />
    </Box>
  );
}

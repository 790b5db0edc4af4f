import type { TopUpOrder } from '@tollgate/contracts/api/top-up';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { TopUpFilter } from '../../api/top-up.api.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { StatusChip } from '../../components/texts/status-chip.js';
import { CARD_PX, foldColumns } from '../../components/tables/table-columns.js';
import type { Column } from '../../components/tables/table-types.js';
import { formatTime } from '../../components/basics/time-format.js';
import { TimeText } from '../../components/texts/time-text.js';

export const noFilter: TopUpFilter = { keyword: '', status: '', provider: '', user_id: '' };
const methods = ['alipay', 'wxpay', 'card'] as const;

type Paid = Pick<TopUpOrder, 'money' | 'currency'>;

/** The amount as the server wrote it, with its currency; yuan as where they are paid. */
export const moneyOf = ({ money, currency }: Paid, t: TFunction<'topup'>): string =>
  currency === 'CNY' ? t('pay.yuan', { amount: money }) : `${money} ${currency}`;

function Money({ order }: { order: Paid }) {
  const { t } = useTranslation('topup');
  const text = moneyOf(order, t);
  // The tooltip repeats the amount, because a narrow column may clip it.
  return <span title={text}>{text}</span>;
}

function Method({ order }: { order: TopUpOrder }) {
  const { t } = useTranslation('topup');
  const method = methods.find((known) => known === order.payment_method);
  return method ? t(`method.${method}`) : order.payment_method;
}

const userColumn: Column<TopUpOrder> = {
  id: 'user',
  header: 'topup:column.user',
  width: 76,
  least: 68,
  cell: ({ user_id: id }) => <Link to={`/user/edit/${id}`}>{id}</Link>,
};

const columns: Column<TopUpOrder>[] = [
  {
    id: 'no',
    header: 'topup:column.no',
    width: 'grow',
    least: 112,
    mobile: 'title',
    text: ({ trade_no: no }) => no,
    cell: ({ trade_no: no }) => no,
  },
  {
    id: 'status',
    header: 'topup:column.status',
    width: 178,
    least: 154,
    mobile: 'badge',
    cell: ({ status }) => <StatusChip status={status} raw={status} />,
  },
  {
    id: 'quota',
    header: 'topup:column.quota',
    width: 104,
    least: 84,
    align: 'right',
    mobile: 'field',
    cell: ({ quota }) => <QuotaText quota={quota} />,
  },
  {
    id: 'money',
    header: 'topup:column.money',
    width: 120,
    least: 94,
    align: 'right',
    mobile: 'field',
    cell: (order) => <Money order={order} />,
  },
  { id: 'method', header: 'topup:column.method', width: 92, cell: (order) => <Method order={order} /> },
  {
    id: 'created',
    header: 'topup:column.created',
    width: 160,
    least: 140,
    mobile: 'field',
    text: ({ create_time: at }) => formatTime(at),
    cell: ({ create_time: at }) => <TimeText at={at} />,
  },
  {
    id: 'paid',
    header: 'topup:column.paid',
    width: 160,
    least: 140,
    cell: ({ complete_time: at }) => (at === 0 ? null : <TimeText at={at} />),
  },
];

export const ACTIONS_PX = { own: 100, all: 172 };
export const ownColumns = foldColumns(columns, ['quota', 'created', 'method', 'paid'], {
  beside: CARD_PX + ACTIONS_PX.own,
});
/** The list of all users' orders has no room for the time of payment by default; the timeline of the order shows it. */
const withoutPaid = (column: Column<TopUpOrder>): Column<TopUpOrder> =>
  column.id === 'paid' ? { ...column, defaultHidden: true } : column;
export const allColumns = foldColumns(
  [columns[0]!, userColumn, ...columns.slice(1)].map(withoutPaid),
  ['user', 'quota', 'method', 'created'],
  { beside: CARD_PX + ACTIONS_PX.all },
);

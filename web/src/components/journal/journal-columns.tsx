import { type PostingCode, postingCodes } from '@tollgate/contracts/api/posting-codes';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Posting } from '../../api/journal.api.js';
import { QuotaText } from '../money/quota-text.js';
import { foldColumns } from '../tables/table-columns.js';
import type { Column } from '../tables/table-types.js';
import { formatTime } from '../basics/time-format.js';
import { TimeText } from '../texts/time-text.js';

const isKnown = (code: string): code is PostingCode => (postingCodes as readonly string[]).includes(code);

function PostingCodeText({ code }: { code: string }) {
  const { t } = useTranslation();
  return isKnown(code) ? t(`posting.codes.${code}`) : code;
}

/** The posting's effect on the wallet, signed; the plain amount if the wallet was not affected. */
function Change({ posting }: { posting: Posting }) {
  const { change, amount } = posting;
  return change === 0 ? <QuotaText quota={amount} digits={6} /> : <QuotaText quota={change} digits={6} signed />;
}

const time: Column<Posting> = {
  id: 'time',
  header: 'posting.time',
  width: 158,
  least: 138,
  mobile: 'field',
  text: (row) => formatTime(row.time),
  cell: (row) => <TimeText at={row.time} />,
};
const code: Column<Posting> = {
  id: 'code',
  header: 'posting.code',
  width: 148,
  least: 136,
  mobile: 'title',
  cell: (row) => <PostingCodeText code={row.code} />,
};
const change: Column<Posting> = {
  id: 'change',
  header: 'posting.change',
  width: 130,
  align: 'right',
  mobile: 'badge',
  cell: (row) => <Change posting={row} />,
};
const plain = (
  id: 'reference' | 'debit' | 'credit' | 'model' | 'group' | 'reason',
  more: Partial<Column<Posting>> = {},
): Column<Posting> => ({
  id,
  header: `posting.${id}`,
  width: 130,
  text: (row) => row[id],
  cell: (row) => row[id],
  ...more,
});

/** For a journal beside other data of a user, where there is less room. */
export const narrowJournal: Column<Posting>[] = [
  time,
  { ...code, width: 134 },
  { ...change, width: 122 },
  plain('reference', { width: 'grow', least: 140 }),
];

export const ACTIONS_PX = 64;

export const wideJournal = foldColumns<Posting>(
  [
    time,
    code,
    {
      id: 'user',
      header: 'posting.user',
      width: 72,
      least: 64,
      mobile: 'field',
      cell: (row) => (row.user_id > 0 ? <Link to={`/user/edit/${row.user_id}`}>{row.user_id}</Link> : null),
    },
    plain('debit', { width: 102, least: 94 }),
    plain('credit', { width: 102, least: 84 }),
    {
      id: 'amount',
      header: 'posting.amount',
      width: 108,
      least: 98,
      align: 'right',
      mobile: 'badge',
      cell: (row) => <QuotaText quota={row.amount} digits={6} />,
    },
    plain('model', { width: 126, least: 96 }),
    {
      id: 'channel',
      header: 'posting.channel',
      width: 80,
      least: 70,
      cell: (row) => row.channel_id || null,
    },
    plain('group', { width: 100, defaultHidden: true }),
    plain('reference', { width: 'grow', least: 124, mobile: 'field' }),
    { id: 'actor', header: 'posting.actor', width: 72, least: 60, cell: (row) => row.actor_id || null },
    plain('reason', { width: 150, defaultHidden: true }),
    {
      id: 'booked',
      header: 'posting.booked',
      width: 160,
      defaultHidden: true,
      cell: (row) => <TimeText at={row.booked_at} />,
    },
  ],
  ['user', 'reference', 'model', 'debit', 'credit', 'channel', 'actor'],
  { beside: ACTIONS_PX },
);

import type { Redemption } from '@tollgate/contracts/api/redemption';
import { RedemptionStatus } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { QuotaText } from '../../components/money/quota-text.js';
import type { StatusKey } from '../../components/texts/status-chip.js';
import { StatusChip } from '../../components/texts/status-chip.js';
import { CHECK_PX, foldColumns } from '../../components/tables/table-columns.js';
import { formatTime } from '../../components/basics/time-format.js';
import { TimeText } from '../../components/texts/time-text.js';

export const statusKeys: Record<number, StatusKey> = {
  [RedemptionStatus.unused]: 'unused',
  [RedemptionStatus.disabled]: 'disabled',
  [RedemptionStatus.used]: 'used',
};
export const statusKeyOf = (status: number): StatusKey => statusKeys[status] ?? 'unknown';
export const isUnused = ({ status }: Redemption): boolean => status === RedemptionStatus.unused;

/** Whether an unused code has expired; a redeemed code never counts as expired. */
const isOver = (code: Redemption): boolean =>
  isUnused(code) && code.expired_time !== 0 && code.expired_time <= Date.now() / 1000;

function UsedBy({ id }: { id: number }) {
  const { t } = useTranslation('redemption');
  return id === 0 ? t('none') : <Link to={`/user/edit/${id}`}>{id}</Link>;
}

function Expiry({ at }: { at: number }) {
  const { t } = useTranslation();
  return at === 0 ? t('time.noExpiry') : <TimeText at={at} />;
}

export const ACTIONS_PX = 120;

export const redemptionColumns = foldColumns<Redemption>(
  [
    { id: 'id', header: 'redemption:column.id', width: 60, least: 48, cell: ({ id }) => id },
    {
      id: 'name',
      header: 'redemption:column.name',
      width: 'grow',
      least: 124,
      mobile: 'title',
      text: ({ name }) => name,
      cell: ({ name }) => name,
    },
    {
      id: 'status',
      header: 'redemption:column.status',
      width: 116,
      mobile: 'badge',
      cell: (code) => <StatusChip status={isOver(code) ? 'expired' : statusKeyOf(code.status)} raw={code.status} />,
    },
    {
      id: 'quota',
      header: 'redemption:column.quota',
      // Room for `$20,000,000.00`, the most that a batch of codes may be worth.
      width: 130,
      least: 114,
      align: 'right',
      mobile: 'field',
      cell: ({ quota }) => <QuotaText quota={quota} />,
    },
    {
      id: 'created',
      header: 'redemption:column.created',
      width: 158,
      least: 140,
      mobile: 'field',
      text: ({ created_time: at }) => formatTime(at),
      cell: ({ created_time: at }) => <TimeText at={at} />,
    },
    {
      id: 'expires',
      header: 'redemption:column.expires',
      width: 158,
      least: 140,
      cell: ({ expired_time: at }) => <Expiry at={at} />,
    },
    {
      id: 'usedBy',
      header: 'redemption:column.usedBy',
      width: 112,
      least: 104,
      mobile: 'field',
      cell: ({ used_user_id: id }) => <UsedBy id={id} />,
    },
    {
      id: 'redeemed',
      header: 'redemption:column.redeemed',
      width: 158,
      defaultHidden: true,
      cell: ({ redeemed_time: at }) => (at === 0 ? null : <TimeText at={at} />),
    },
  ],
  ['created', 'usedBy', 'expires'],
  { beside: CHECK_PX + ACTIONS_PX },
);

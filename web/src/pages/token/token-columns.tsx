import SoonIcon from '@mui/icons-material/Schedule';
import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import type { Token } from '@tollgate/contracts/api/token';
import { TokenStatus } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import { ShareLine } from '../../components/feedback/busy.js';
import { GroupTag } from '../../components/texts/group-tag.js';
import { QuotaText } from '../../components/money/quota-text.js';
import type { StatusKey } from '../../components/texts/status-chip.js';
import { StatusChip } from '../../components/texts/status-chip.js';
import { CHECK_PX, foldColumns } from '../../components/tables/table-columns.js';
import { formatTime } from '../../components/basics/time-format.js';
import { TimeText } from '../../components/texts/time-text.js';
import { overPage } from '../../components/overlays/use-over-entry.js';

const statusKeys: Record<number, StatusKey> = {
  [TokenStatus.disabled]: 'disabled',
  [TokenStatus.expired]: 'expired',
  [TokenStatus.exhausted]: 'exhausted',
};

const statusOf = ({ status, model_limits_enabled: limited }: Token): StatusKey =>
  status === TokenStatus.enabled ? (limited ? 'enabledLimited' : 'enabled') : (statusKeys[status] ?? 'unknown');

function NameCell({ token }: { token: Token }) {
  const { search } = useLocation();
  return (
    <Link to={`/token/edit/${token.id}${search}`} state={overPage}>
      {token.name}
    </Link>
  );
}

function RemainCell({ token }: { token: Token }) {
  const { t } = useTranslation();
  if (token.unlimited_quota) return t('quota.unlimited');
  const total = token.remain_quota + token.used_quota;
  const share = total > 0 ? Math.max(0, Math.min(100, (token.remain_quota / total) * 100)) : 0;
  return (
    <>
      <Box sx={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
        <QuotaText quota={token.remain_quota} />
      </Box>
      <ShareLine share={share} />
    </>
  );
}

const SOON_SECONDS = 3 * 86_400;

function ExpiryCell({ at }: { at: number }) {
  const { t } = useTranslation('token');
  if (at === -1) return t('time.noExpiry');
  const left = at - Date.now() / 1000;
  if (left <= 0 || left >= SOON_SECONDS) return <TimeText at={at} />;
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.5, color: 'warning.main' }}>
      <TimeText at={at} />
      <SoonIcon sx={{ fontSize: 16 }} titleAccess={t('soon')} />
    </Box>
  );
}

export const ACTIONS_PX = 120;

export const tokenColumns = foldColumns<Token>(
  [
    {
      id: 'name',
      header: 'token:column.name',
      width: 'grow',
      least: 98,
      mobile: 'title',
      text: ({ name }) => name,
      cell: (token) => <NameCell token={token} />,
    },
    {
      id: 'status',
      header: 'token:column.status',
      // Fits the longest state in either language with the word for the own group beside it.
      width: 230,
      least: 216,
      mobile: 'badge',
      cell: (token) => (
        <Stack
          direction="row"
          spacing={0.5}
          // The group is truncated before the state.
          sx={{
            alignItems: 'center',
            display: 'inline-flex',
            maxWidth: '100%',
            '& > * + [data-badge]': { flexShrink: 999, minWidth: 44, textAlign: 'center' },
          }}
        >
          <StatusChip status={statusOf(token)} raw={token.status} />
          <GroupTag group={token.group} />
        </Stack>
      ),
    },
    {
      id: 'used',
      header: 'token:column.used',
      width: 120,
      least: 80,
      align: 'right',
      mobile: 'field',
      cell: ({ used_quota: used }) => <QuotaText quota={used} />,
    },
    {
      id: 'remaining',
      header: 'token:column.remaining',
      width: 130,
      least: 88,
      align: 'right',
      mobile: 'field',
      cell: (token) => <RemainCell token={token} />,
    },
    {
      id: 'created',
      header: 'token:column.created',
      width: 150,
      least: 138,
      text: ({ created_time: at }) => formatTime(at),
      cell: ({ created_time: at }) => <TimeText at={at} />,
    },
    {
      id: 'expires',
      header: 'token:column.expires',
      // Fits a near time with its sign.
      width: 176,
      least: 158,
      mobile: 'field',
      cell: ({ expired_time: at }) => <ExpiryCell at={at} />,
    },
  ],
  ['expires', 'used', 'created'],
  { beside: CHECK_PX + ACTIONS_PX },
);

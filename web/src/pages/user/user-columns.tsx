import type { User } from '@tollgate/contracts/api/user';
import { Role, UserStatus } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import type { TagColor } from '../../app/palette.js';
import { GroupTag } from '../../components/texts/group-tag.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { QuotaText } from '../../components/money/quota-text.js';
import type { StatusKey } from '../../components/texts/status-chip.js';
import { StatusChip } from '../../components/texts/status-chip.js';
import { foldColumns } from '../../components/tables/table-columns.js';
import { Tag } from '../../components/texts/tag.js';
import { overPage } from '../../components/overlays/use-over-entry.js';

export const isCancelled = ({ DeletedAt: at }: User): boolean => at !== null && at !== undefined;

const statusOf = (user: User): StatusKey => {
  if (isCancelled(user)) return 'cancelled';
  if (user.status === UserStatus.enabled) return 'activated';
  return user.status === UserStatus.banned ? 'banned' : 'unknown';
};

type RoleKey = `shell.role.${'user' | 'admin' | 'root' | 'unknown'}`;
const roles: Record<number, [key: RoleKey, color: TagColor]> = {
  [Role.user]: ['shell.role.user', 'blue'],
  [Role.admin]: ['shell.role.admin', 'yellow'],
  [Role.root]: ['shell.role.root', 'orange'],
};

function RoleTag({ role }: { role: number }) {
  const { t } = useTranslation();
  const [key, color] = roles[role] ?? ['shell.role.unknown', 'red'];
  return (
    <Tag color={color} title={String(role)}>
      {t(key)}
    </Tag>
  );
}

function NameCell({ user }: { user: User }) {
  const { search } = useLocation();
  if (isCancelled(user)) return user.username;
  return (
    <Link to={`/user/edit/${user.id}${search}`} state={overPage} title={user.display_name}>
      {user.username}
    </Link>
  );
}

function InviteCell({ user }: { user: User }) {
  const { t } = useTranslation('user');
  const { aff_count: count, aff_history_quota: earned, inviter_id: inviter } = user;
  if (count === 0 && inviter === 0) return t('invite.none');
  return (
    <>
      {count > 0 && (
        <>
          {t('invite.count', { count })} · <QuotaText quota={earned} />
        </>
      )}
      {count > 0 && inviter > 0 && ' · '}
      {inviter > 0 && t('invite.by', { id: inviter })}
    </>
  );
}

/** Rows of users who cannot sign in are shaded. */
export const toneOf = (user: User): 'disabled' | undefined =>
  isCancelled(user) || user.status !== UserStatus.enabled ? 'disabled' : undefined;

export const ACTIONS_PX = 120;

export const userColumns = foldColumns<User>(
  [
    { id: 'id', header: 'user:column.id', width: 64, least: 48, mobile: 'number', cell: ({ id }) => id },
    {
      id: 'username',
      header: 'user:column.username',
      width: 'grow',
      least: 124,
      mobile: 'title',
      text: ({ username, display_name: name }) => (name && name !== username ? `${username} (${name})` : username),
      cell: (user) => <NameCell user={user} />,
    },
    {
      id: 'group',
      header: 'user:column.group',
      width: 104,
      least: 76,
      mobile: 'field',
      cell: ({ group }) => <GroupTag group={group} />,
    },
    {
      id: 'quota',
      header: 'user:column.quota',
      // Room for `$18,014,398.51`.
      width: 134,
      least: 124,
      align: 'right',
      mobile: 'field',
      cell: ({ quota }) => <QuotaText quota={quota} balance />,
    },
    {
      id: 'used',
      header: 'user:column.used',
      width: 110,
      least: 84,
      align: 'right',
      cell: ({ used_quota: used }) => <QuotaText quota={used} />,
    },
    {
      id: 'requests',
      header: 'user:column.requests',
      width: 100,
      least: 84,
      align: 'right',
      mobile: 'field',
      cell: ({ request_count: count }) => formatUnits(count),
    },
    {
      id: 'invite',
      header: 'user:column.invite',
      width: 150,
      least: 92,
      cell: (user) => <InviteCell user={user} />,
    },
    {
      id: 'email',
      header: 'user:column.email',
      width: 200,
      defaultHidden: true,
      text: ({ email }) => email,
      cell: ({ email }) => email,
    },
    {
      id: 'role',
      header: 'user:column.role',
      width: 156,
      least: 142,
      mobile: 'badge',
      cell: ({ role }) => <RoleTag role={role} />,
    },
    {
      id: 'status',
      header: 'user:column.status',
      width: 110,
      mobile: 'badge',
      cell: (user) => <StatusChip status={statusOf(user)} raw={user.status} />,
    },
  ],
  ['status', 'role', 'group', 'used', 'requests', 'invite'],
  { beside: ACTIONS_PX },
);

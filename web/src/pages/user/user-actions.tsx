import EditIcon from '@mui/icons-material/EditOutlined';
import ReceiptIcon from '@mui/icons-material/ReceiptLongOutlined';
import type { User, UserAction } from '@tollgate/contracts/api/user';
import { UserStatus } from '@tollgate/contracts/roles';
import { erasedName } from '@tollgate/contracts/user-name';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { selectRole } from '../../app/slices/session.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import type { RowAction } from '../../components/tables/table-types.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { overPage } from '../../components/overlays/use-over-entry.js';
import { isCancelled } from './user-columns.js';
import type { Denial } from './user-rules.js';
import { useErasure } from './use-erasure.js';
import { denyAction, denyEdit, denyErase } from './user-rules.js';
import { useManageUserMutation } from '../../api/user.api.js';

const icon = { fontSize: 18 };
/** Actions that take away rights or the account are red. */
const dangers: readonly UserAction[] = ['demote', 'disable', 'delete'];

function useManage() {
  const { t } = useTranslation('user');
  const dispatch = useAppDispatch();
  const { confirm, dialog } = useConfirm();
  const [manage] = useManageUserMutation();
  const run = async (id: number, action: UserAction) => {
    await manage({ id, action }).unwrap();
    dispatch(toastShown({ severity: 'success', key: 'done.action' }));
  };
  const ask = ({ id, username }: User, action: UserAction) =>
    confirm({
      title: t(`ask.${action}.title`),
      consequences: [
        t(`ask.${action}.body`, { name: username }),
        ...(action === 'delete' ? [t('ask.delete.final')] : []),
      ],
      affected: { total: 1, names: [`${username} (ID ${id})`] },
      typed: action === 'delete' ? username : undefined,
      confirm: { label: t(`action.${action}User`), danger: dangers.includes(action) },
      run: () => run(id, action),
    });
  return { ask, dialog };
}

/** The row actions for a user. An action that rank or state forbids is shown disabled with the reason. */
export function useUserActions() {
  const { t } = useTranslation('user');
  const navigate = useNavigate();
  const { search } = useLocation();
  const role = useAppSelector(selectRole);
  const { ask, dialog } = useManage();
  const erasure = useErasure();
  const reason = (key: Denial | undefined) => (key ? t(key) : undefined);

  const erase = (user: User): RowAction => ({
    id: 'erase',
    label: t('action.eraseUser'),
    danger: true,
    disabledReason: reason(denyErase(role, user)),
    run: () => erasure.ask(user),
  });

  const actionsOf = (user: User): RowAction[] => {
    if (isCancelled(user)) return user.username === erasedName(user.id) ? [] : [erase(user)];
    const managed = (action: UserAction): RowAction => ({
      id: action,
      label: t(`action.${action}User`),
      danger: dangers.includes(action),
      disabledReason: reason(denyAction(role, user, action)),
      run: () => ask(user, action),
    });
    return [
      {
        id: 'edit',
        label: t('action.edit'),
        icon: <EditIcon sx={icon} />,
        disabledReason: reason(denyEdit(role, user)),
        run: () => void navigate(`/user/edit/${user.id}${search}`, { state: overPage }),
      },
      {
        id: 'log',
        label: t('usage'),
        icon: <ReceiptIcon sx={icon} />,
        run: () => void navigate(`/log?username=${encodeURIComponent(user.username)}`),
      },
      {
        id: 'orders',
        label: t('orders'),
        run: () => void navigate(`/topup?orders=all&user_id=${user.id}`),
      },
      managed('promote'),
      managed('demote'),
      managed(user.status === UserStatus.enabled ? 'disable' : 'enable'),
      managed('delete'),
    ];
  };
  return {
    actionsOf,
    dialog: (
      <>
        {dialog}
        {erasure.dialog}
      </>
    ),
  };
}

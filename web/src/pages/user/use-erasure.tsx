import type { User } from '@tollgate/contracts/api/user';
import { useTranslation } from 'react-i18next';
import { useEraseUserMutation } from '../../api/user.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';

/**
 * Erases the personal data of a user. `ask(user)` opens a confirmation in which the name must be typed; the page
 * renders `dialog`.
 */
export function useErasure(onErased?: () => void) {
  const { t } = useTranslation('user');
  const dispatch = useAppDispatch();
  const { confirm, dialog } = useConfirm();
  const [erase] = useEraseUserMutation();
  const ask = ({ id, username }: User) =>
    confirm({
      title: t('ask.erase.title'),
      consequences: [t('ask.erase.body', { name: username }), t('ask.erase.stays')],
      affected: { total: 1, names: [`${username} (ID ${id})`] },
      typed: username,
      typedName: 'username',
      confirm: { label: t('action.eraseUser'), danger: true },
      run: async () => {
        await erase({ id, username }).unwrap();
        dispatch(toastShown({ severity: 'success', key: 'user:erased' }));
        onErased?.();
      },
    });
  return { ask, dialog };
}

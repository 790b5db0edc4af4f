import CopyIcon from '@mui/icons-material/ContentCopy';
import EditIcon from '@mui/icons-material/EditOutlined';
import type { Token, UpdateTokenStatus } from '@tollgate/contracts/api/token';
import { TokenStatus } from '@tollgate/contracts/roles';
import { useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { selectStatus } from '../../app/slices/status.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { openTab } from '../../components/basics/open-tab.js';
import { chatAddress, chatLinks } from '../../components/chat/chat-links.js';
import { useCopy } from '../../components/texts/copy-button.js';
import { OwnWords } from '../../components/texts/own-words.js';
import type { RowAction } from '../../components/tables/table-types.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { overPage } from '../../components/overlays/use-over-entry.js';
import { tokenApi, useDeleteTokenMutation, useSetTokenStatusMutation } from '../../api/token.api.js';

const icon = { fontSize: 18 };

/**
 * Fetches a key when it is needed; lists contain no keys. Without a subscription the store drops the reply, which holds
 * the key, at once.
 */
export const fetchToken = (id: number) =>
  tokenApi.endpoints.getToken.initiate(id, { subscribe: false, forceRefetch: true });

function useTokenKeys() {
  const dispatch = useAppDispatch();
  return async (id: number): Promise<string | undefined> => (await dispatch(fetchToken(id))).data?.key;
}

function useChat(keyOf: (id: number) => Promise<string | undefined>) {
  const dispatch = useAppDispatch();
  const { server_address: server, chats } = useAppSelector(selectStatus);
  const links = chatLinks(chats);
  const open = async (id: number, template: string) => {
    const tab = openTab();
    const key = await keyOf(id);
    const address = key && chatAddress(template, key, server || window.location.origin);
    // A blocked tab leaves this one.
    if (address) (tab ?? window).location.assign(address);
    else tab?.close();
    if (key && !address) dispatch(toastShown({ severity: 'error', key: 'chat.broken' }));
  };
  return { links, open };
}

/** Enables or disables a token. There is no undo, because the button in the row then offers the reverse. */
function useSwitch() {
  const [setStatus] = useSetTokenStatusMutation();
  const dispatch = useAppDispatch();
  return async (id: number, status: UpdateTokenStatus['status']) => {
    const { data } = await setStatus({ id, status });
    if (data) dispatch(toastShown({ severity: 'success', key: 'done.action' }));
  };
}

export function useTokenActions() {
  const { t } = useTranslation('token');
  const navigate = useNavigate();
  const { search } = useLocation();
  const keyOf = useTokenKeys();
  const { copy, dialog: copyDialog } = useCopy();
  const { confirm, dialog } = useConfirm();
  const [remove] = useDeleteTokenMutation();
  const [shown, setShown] = useState<Token>();
  const { links, open } = useChat(keyOf);
  const turn = useSwitch();

  const copyKey = async ({ id }: Token) => {
    const key = await keyOf(id);
    if (key) await copy(`sk-${key}`);
  };
  const askDelete = (token: Token) =>
    confirm({
      title: t('delete.title'),
      consequences: [t('delete.consequence'), t('confirm.irreversible')],
      affected: { total: 1, names: [token.name] },
      confirm: { label: t('action.delete'), danger: true },
      run: () => remove(token.id).unwrap(),
    });
  const actionsOf = (token: Token): RowAction[] => {
    const on = token.status === TokenStatus.enabled;
    return [
      { id: 'copy', label: t('action.copy'), icon: <CopyIcon sx={icon} />, run: () => void copyKey(token) },
      {
        id: 'edit',
        label: t('action.edit'),
        icon: <EditIcon sx={icon} />,
        run: () => void navigate(`/token/edit/${token.id}${search}`, { state: overPage }),
      },
      { id: 'view', label: t('action.view'), run: () => setShown(token) },
      ...links.map(({ name, template }) => ({
        id: `chat-${name}`,
        label: name,
        words: <Trans t={t} i18nKey={'chat.with'} components={{ name: <OwnWords text={name} /> }} />,
        run: () => void open(token.id, template),
      })),
      { id: 'usage', label: t('usage'), run: () => void navigate(`/log?token_name=${encodeURIComponent(token.name)}`) },
      {
        id: 'switch',
        label: t(on ? 'action.disable' : 'action.enable'),
        run: () => void turn(token.id, on ? TokenStatus.disabled : TokenStatus.enabled),
      },
      { id: 'delete', label: t('action.delete'), danger: true, run: () => askDelete(token) },
    ];
  };
  return {
    actionsOf,
    keyOf,
    copy,
    shown,
    close: () => setShown(undefined),
    dialogs: (
      <>
        {copyDialog}
        {dialog}
      </>
    ),
  };
}

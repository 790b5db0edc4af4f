import EditIcon from '@mui/icons-material/EditOutlined';
import TestIcon from '@mui/icons-material/NetworkCheck';
import type { Channel, UpdateChannel } from '@tollgate/contracts/api/channel';
import { ChannelStatus } from '@tollgate/contracts/roles';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selected } from '../../components/tables/table-selection.js';
import { useLocation, useNavigate } from 'react-router-dom';
import { runJob, stepCall } from '../../app/run-job.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import type { Action } from '../../components/layout/page-header.js';
import type { BulkAction, RowAction } from '../../components/tables/table-types.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { overPage } from '../../components/overlays/use-over-entry.js';
import type { useChannelTests } from './use-channel-tests.js';
import {
  channelApi,
  useDeleteChannelMutation,
  useDeleteChannelsMutation,
  useUpdateChannelMutation,
} from '../../api/channel.api.js';
import { useUpdateBalanceMutation } from '../../api/channel-tools.api.js';

const icon = { fontSize: 18 };
type Tests = ReturnType<typeof useChannelTests>;

/**
 * Changes of one channel. Each shows its result where the change was made: as a toast, or as an error at the edited
 * cell.
 */
export function useChannelChanges() {
  const dispatch = useAppDispatch();
  const [update] = useUpdateChannelMutation();
  const [refreshBalance] = useUpdateBalanceMutation();
  const setStatus = async (channel: Channel, status: UpdateChannel['status']) => {
    const reply = await update({ change: { id: channel.id, status } });
    if (reply.error) dispatch(toastShown({ severity: 'error', error: reply.error as never }));
    else dispatch(toastShown({ severity: 'success', key: 'done.action' }));
  };
  const saveNumber = ({ id, ...seen }: Channel, field: 'priority' | 'weight', value: number) =>
    update({ change: { id, [field]: value, expected: { [field]: seen[field] ?? 0 } } }).unwrap();
  const updateBalance = async (channel: Channel) => {
    const reply = await refreshBalance(channel.id);
    if (!reply.error)
      dispatch(toastShown({ severity: 'success', key: 'channel:balance.ok', params: { name: channel.name } }));
  };
  return { setStatus, saveNumber, updateBalance, update };
}

interface Options {
  tests: Tests;
  changes: ReturnType<typeof useChannelChanges>;
  pickModel: (channel: Channel) => void;
  showHealth: (id: number) => void;
  showChoice: (channel: Channel) => void;
}

export function useRowActions({ tests, changes, pickModel, showHealth, showChoice }: Options) {
  const { t } = useTranslation('channel');
  const navigate = useNavigate();
  const { search } = useLocation();
  const { confirm, dialog } = useConfirm();
  const [remove] = useDeleteChannelMutation();
  const askDelete = (channel: Channel) =>
    confirm({
      title: t('delete.title'),
      consequences: [t('delete.one'), t('confirm.irreversible')],
      affected: { total: 1, names: [channel.name] },
      confirm: { label: t('action.delete'), danger: true },
      run: () => remove(channel.id).unwrap(),
    });
  const actionsOf = (channel: Channel): RowAction[] => {
    const on = channel.status === ChannelStatus.enabled;
    const running = tests.outcomes[channel.id]?.state === 'running';
    return [
      {
        id: 'test',
        label: t('test.one'),
        icon: <TestIcon sx={icon} />,
        busy: running,
        run: () => void tests.test(channel),
      },
      {
        id: 'edit',
        label: t('action.edit'),
        icon: <EditIcon sx={icon} />,
        run: () => void navigate(`/channel/edit/${channel.id}${search}`, { state: overPage }),
      },
      { id: 'pick', label: t('test.pick'), run: () => pickModel(channel) },
      { id: 'health', label: t('health.open'), run: () => showHealth(channel.id) },
      { id: 'choice', label: t('choice.action'), run: () => showChoice(channel) },
      { id: 'balance', label: t('balance.update'), run: () => void changes.updateBalance(channel) },
      { id: 'log', label: t('usage'), run: () => void navigate(`/log?channel=${channel.id}`) },
      {
        id: 'copy',
        label: t('action.copy'),
        run: () => void navigate(`/channel/add/${channel.id}${search}`, { state: overPage }),
      },
      {
        id: 'switch',
        label: t(on ? 'action.disable' : 'action.enable'),
        run: () => void changes.setStatus(channel, on ? ChannelStatus.disabled : ChannelStatus.enabled),
      },
      { id: 'delete', label: t('action.delete'), danger: true, run: () => askDelete(channel) },
    ];
  };
  return { actionsOf, dialog };
}

/** Actions on the selected channels. Changes run as a job, call by call, with results shown; a deletion is one call. */
export function useBulkActions({
  tests,
  changes,
  setTag,
}: {
  tests: Tests;
  changes: ReturnType<typeof useChannelChanges>;
  setTag: (rows: Channel[]) => void;
}) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const { confirm, dialog } = useConfirm();
  const [removeAll] = useDeleteChannelsMutation();
  const switchAll = (rows: Channel[], status: UpdateChannel['status']) =>
    dispatch(
      runJob({
        titleKey: status === ChannelStatus.enabled ? 'channel:bulk.enable' : 'channel:bulk.disable',
        calls: rows.map(({ id, name }) =>
          stepCall({
            name: `#${id} ${name}`,
            run: async () => {
              await changes.update({ change: { id, status }, oneOfMany: true }).unwrap();
              return { key: status === ChannelStatus.enabled ? 'status.enabled' : 'status.disabled' };
            },
          }),
        ),
      }),
    ).finally(() => dispatch(channelApi.util.invalidateTags(['Channel', 'Model'])));
  const askDelete = (rows: Channel[], clear: () => void) =>
    confirm({
      title: t('delete.many', { count: rows.length }),
      consequences: [t('delete.one'), t('confirm.irreversible')],
      affected: { total: rows.length, names: rows.map(({ name }) => name) },
      confirm: { label: t('delete.action', { count: rows.length }), danger: true },
      run: async () => {
        const count = await removeAll({ ids: rows.map(({ id }) => id) }).unwrap();
        clear();
        dispatch(toastShown({ severity: 'success', key: 'channel:delete.done', params: { count } }));
      },
    });
  const bulk: BulkAction<Channel>[] = [
    { id: 'enable', label: t('action.enable'), run: (rows) => void switchAll(rows, ChannelStatus.enabled) },
    { id: 'disable', label: t('action.disable'), run: (rows) => void switchAll(rows, ChannelStatus.disabled) },
    { id: 'test', label: t('test.one'), run: (rows) => void tests.testMany(rows) },
    { id: 'tag', label: t('tag.set'), run: setTag },
    { id: 'delete', label: t('delete.selected'), danger: true, run: askDelete },
  ];
  return { bulk, dialog };
}

/**
 * Entries of the page's menu for two of the actions on the selected channels. They are there before anything is selected, and then say that
 * something has to be. In the view by tags nothing is selected, whatever was before.
 */
export function useSelectedActions(bulk: BulkAction<Channel>[], isByTag: boolean) {
  const dispatch = useAppDispatch();
  const [selected, setSelected] = useState<Selected<Channel>>();
  const entry = (id: 'tag' | 'delete'): Action[] =>
    bulk
      .filter((action) => action.id === id)
      .map(({ label, danger, run }) => ({
        id: `${id}-selected`,
        label,
        danger,
        run: () => {
          if (!isByTag && selected && selected.rows.length > 0) run(selected.rows, selected.clear);
          else dispatch(toastShown({ severity: 'error', key: `channel:${id}.choose` }));
        },
      }));
  return { entries: [...entry('tag'), ...entry('delete')], onSelection: setSelected };
}

/** The dialog that sets one tag for the selected channels. */
export function useTagDialog() {
  const [rows, setRows] = useState<Channel[]>();
  return { rows, open: setRows, close: () => setRows(undefined) };
}

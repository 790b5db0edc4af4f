import type { Channel, ChannelCounts } from '@tollgate/contracts/api/channel';
import { ChannelStatus } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import type { TextKey, TextOf } from '../../app/i18n/text-keys.js';
import type { ApiError } from '../../api/api-error.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import type { Action } from '../../components/layout/page-header.js';
import type { ConfirmOptions } from '../../components/overlays/confirm-options.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { useDeleteChannelsMutation, useFixAbilitiesMutation } from '../../api/channel.api.js';
import { useTestChannelsMutation, useUpdateBalancesMutation } from '../../api/channel-tools.api.js';
import { loadChannels } from './load-channels.js';
import { useTestRun } from './use-test-run.js';

function useDone() {
  const dispatch = useAppDispatch();
  return (key: TextOf<'channel'>, count?: number) =>
    dispatch(
      toastShown({
        severity: 'success',
        key: `channel:${key}` as TextKey,
        params: count === undefined ? undefined : { count },
      }),
    );
}

/**
 * Lists the disabled channels before they are deleted, so that none goes that is disabled after that. One that is
 * enabled meanwhile stays.
 */
function useDeleteDisabled(confirm: (options: ConfirmOptions) => void) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const done = useDone();
  const [deleteMany] = useDeleteChannelsMutation();
  const ask = (rows: Channel[]) =>
    confirm({
      title: t('all.deleteDisabled.title'),
      consequences: [t('all.deleteDisabled.body', { count: rows.length }), t('confirm.irreversible')],
      affected: { total: rows.length, names: rows.map(({ name }) => name) },
      typed: String(rows.length),
      confirm: { label: t('all.deleteDisabled.action'), danger: true },
      run: async () =>
        done(
          'all.deleteDisabled.done',
          await deleteMany({ ids: rows.map(({ id }) => id), only_disabled: true }).unwrap(),
        ),
    });
  return async () => {
    try {
      const rows = [
        ...(await dispatch(loadChannels(String(ChannelStatus.disabled)))),
        ...(await dispatch(loadChannels(String(ChannelStatus.autoDisabled)))),
      ];
      if (rows.length > 0) ask(rows);
      else dispatch(toastShown({ severity: 'info', key: 'channel:all.deleteDisabled.none' }));
    } catch (error) {
      dispatch(toastShown({ severity: 'error', error: error as ApiError }));
    }
  };
}

interface Options {
  counts: ChannelCounts | undefined;
  showChoice: () => void;
  /** Actions on the selected channels. */
  selected: Action[];
}

/** The menu of the page. Each action on all channels shows its consequences before it runs. */
export function usePageActions({ counts, showChoice, selected }: Options) {
  const { t } = useTranslation('channel');
  const { confirm, dialog } = useConfirm();
  const [testAll] = useTestChannelsMutation();
  const [updateBalances] = useUpdateBalancesMutation();
  const [fix] = useFixAbilitiesMutation();
  const { tested, watch } = useTestRun();
  const done = useDone();
  const listDisabled = useDeleteDisabled(confirm);
  const goes = (counts?.disabled ?? 0) + (counts?.auto_disabled ?? 0);
  const ask = (id: 'testAll' | 'balances' | 'fix', run: () => Promise<unknown>) =>
    confirm({
      title: t(`all.${id}.title`),
      consequences: [t(`all.${id}.body`)],
      confirm: { label: t(`all.${id}.action`) },
      run,
    });
  const runTest = async () => {
    const before = await tested();
    await testAll().unwrap();
    done('all.testAll.done');
    void watch(before);
  };
  const actions: Action[] = [
    { id: 'testAll', label: t('all.testAll.action'), run: () => ask('testAll', runTest) },
    {
      id: 'balances',
      label: t('all.balances.action'),
      run: () => ask('balances', async () => (await updateBalances().unwrap(), done('all.balances.done'))),
    },
    { id: 'choice', label: t('choice.action'), run: showChoice },
    {
      id: 'fix',
      label: t('all.fix.action'),
      run: () => ask('fix', async () => done('all.fix.done', await fix().unwrap())),
    },
    ...selected,
    {
      id: 'deleteDisabled',
      label: t('all.deleteDisabled.action'),
      danger: true,
      disabledReason: goes === 0 ? t('all.deleteDisabled.none') : undefined,
      run: () => void listDisabled(),
    },
  ];
  return { actions, dialog };
}

import type { ChannelCounts } from '@tollgate/contracts/api/channel';
import { useTranslation } from 'react-i18next';
import type { TextKey, TextOf } from '../../app/i18n/text-keys.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import type { Action } from '../../components/layout/page-header.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { useDeleteDisabledChannelsMutation, useFixAbilitiesMutation } from '../../api/channel.api.js';
import { useTestChannelsMutation, useUpdateBalancesMutation } from '../../api/channel-tools.api.js';
import { useTestRun } from './use-test-run.js';

/** Actions on all channels; each shows its consequences before it runs. */
export function usePageActions(counts: ChannelCounts | undefined, showChoice: () => void) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const { confirm, dialog } = useConfirm();
  const [testAll] = useTestChannelsMutation();
  const [updateBalances] = useUpdateBalancesMutation();
  const [deleteDisabled] = useDeleteDisabledChannelsMutation();
  const [fix] = useFixAbilitiesMutation();
  const { tested, watch } = useTestRun();
  const done = (key: TextOf<'channel'>, count?: number) =>
    dispatch(
      toastShown({
        severity: 'success',
        key: `channel:${key}` as TextKey,
        params: count === undefined ? undefined : { count },
      }),
    );

  const goes = (counts?.disabled ?? 0) + (counts?.auto_disabled ?? 0);
  const ask = (id: 'testAll' | 'balances' | 'deleteDisabled' | 'fix', run: () => Promise<unknown>, danger = false) =>
    confirm({
      title: t(`all.${id}.title`),
      consequences:
        id === 'deleteDisabled'
          ? [t('all.deleteDisabled.body', { count: goes }), t('confirm.irreversible')]
          : [t(`all.${id}.body`)],
      typed: id === 'deleteDisabled' ? String(goes) : undefined,
      confirm: { label: t(`all.${id}.action`), danger },
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
    {
      id: 'deleteDisabled',
      label: t('all.deleteDisabled.action'),
      danger: true,
      disabledReason: goes === 0 ? t('all.deleteDisabled.none') : undefined,
      run: () =>
        ask('deleteDisabled', async () => done('all.deleteDisabled.done', await deleteDisabled().unwrap()), true),
    },
  ];
  return { actions, dialog };
}

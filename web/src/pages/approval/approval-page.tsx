import ApproveIcon from '@mui/icons-material/CheckCircleOutlined';
import RefuseIcon from '@mui/icons-material/HighlightOff';
import LookIcon from '@mui/icons-material/VisibilityOutlined';
import UndoIcon from '@mui/icons-material/UndoOutlined';
import type { Approval } from '@tollgate/contracts/api/approval';
import { approvalKinds, approvalStatuses } from '@tollgate/contracts/api/approval-kinds';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { ApprovalFilter } from '../../api/approval.api.js';
import { approvalPolling, useDecideApprovalMutation, useListApprovalsQuery } from '../../api/approval.api.js';
import { selectUser } from '../../app/slices/session.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import type { FilterSpec } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import type { RowAction } from '../../components/tables/table-types.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { useFilterWords } from '../../components/filters/use-filter-words.js';
import { ACTIONS_PX, ApprovalDetail, approvalColumns } from './approval-columns.js';
import { ArrivedNews, NewestContext, useNewest } from './arrived.js';

const RefuseDialog = lazyPart(async () => (await import('./refuse-dialog.js')).RefuseDialog);

const CorrectionDialog = lazyPart(async () => (await import('./correction-dialog.js')).CorrectionDialog);

/** The setting for the amount from which an adjustment needs a second administrator. */
const LIMITS = '/setting?tab=operation&key=AdjustmentApprovalLimit';

const filterSpec: FilterSpec<ApprovalFilter> = {
  defaults: { status: '', kind: '' },
  accept: { status: /^[a-z]*$/, kind: /^[a-z-]*$/ },
};

function useFields(): FilterField<ApprovalFilter>[] {
  const { t } = useTranslation('approval');
  const any = { value: '', label: t('search.all') };
  const statuses = [any, ...approvalStatuses.map((value) => ({ value, label: t(`status.${value}`) }))];
  const kinds = [any, ...approvalKinds.map((value) => ({ value, label: t(`kind.${value}`) }))];
  return [
    { name: 'status', kind: 'select', label: t('search.status'), options: statuses, width: 140 },
    { name: 'kind', kind: 'select', label: t('search.kind'), options: kinds, width: 160 },
  ];
}

/** The row actions for the reader. An action that the reader may not take is shown disabled with its reason. */
function useActions(refuse: (approval: Approval) => void, look: (approval: Approval) => void) {
  const { t } = useTranslation('approval');
  const dispatch = useAppDispatch();
  const scale = useQuotaScale();
  const me = useAppSelector(selectUser)?.id;
  const [decide] = useDecideApprovalMutation();
  const { confirm, dialog } = useConfirm();
  const ask = (approval: Approval, verdict: 'approve' | 'withdraw') =>
    confirm({
      title: t(`ask.${verdict}`),
      consequences: [
        t(`ask.${verdict}Body`, {
          kind: t(`kind.${approval.kind}`),
          user: approval.user_id || t('severalUsers'),
          change: formatQuota(approval.change, scale, { signed: true }),
        }),
      ],
      affected: { total: 1, names: [`#${approval.id} ${approval.reason}`.trim()] },
      confirm: { label: t(verdict), danger: false },
      run: async () => {
        await decide({ id: approval.id, verdict, note: '' }).unwrap();
        dispatch(toastShown({ severity: 'success', key: `approval:done.${verdict}` }));
      },
    });
  const reasonOf = ({ status, requester_id: requester, user_id: user }: Approval): string | undefined => {
    if (status !== 'pending') return t('over');
    if (requester === me) return t('own');
    return user === me ? t('mine') : undefined;
  };
  const small = { fontSize: 18 };
  const looks = (approval: Approval): RowAction[] =>
    approval.kind === 'correction'
      ? [{ id: 'look', label: t('correction.look'), icon: <LookIcon sx={small} />, run: () => look(approval) }]
      : [];
  const decisions = (approval: Approval): RowAction[] => {
    if (approval.status !== 'pending') return [];
    const withdraw = { id: 'withdraw', label: t('withdraw'), icon: <UndoIcon sx={small} /> };
    if (approval.requester_id === me) return [{ ...withdraw, run: () => ask(approval, 'withdraw') }];
    const common = { disabledReason: reasonOf(approval) };
    return [
      {
        id: 'approve',
        label: t('approve'),
        icon: <ApproveIcon sx={small} />,
        run: () => ask(approval, 'approve'),
        ...common,
      },
      { id: 'refuse', label: t('refuse'), icon: <RefuseIcon sx={small} />, run: () => refuse(approval), ...common },
    ];
  };
  return { actionsOf: (approval: Approval) => [...looks(approval), ...decisions(approval)], dialog };
}

/** Requests that wait for a second administrator, and requests that are decided. */
export function ApprovalPage() {
  const { t } = useTranslation('approval');
  const list = useListState('approval', filterSpec);
  const query = useListApprovalsQuery(list.request, { ...approvalPolling, refetchOnMountOrArgChange: true });
  const newest = useNewest(query.currentData?.items, list);
  const [refused, setRefused] = useState<Approval>();
  const [looked, setLooked] = useState<Approval>();
  const { actionsOf, dialog } = useActions(setRefused, setLooked);
  const navigate = useNavigate();
  const fields = useFields();
  const describe = useFilterWords(fields);
  return (
    <NewestContext value={newest}>
      <PageHeader
        title={t('title')}
        purpose={t('purpose')}
        freshness={{ at: query.fulfilledTimeStamp, refetch: query.refetch }}
      />
      <ArrivedNews rows={query.currentData?.items} />
      <ResourceTable
        id="approval"
        label={t('title')}
        columns={approvalColumns}
        rowId={({ id }) => id}
        rowName={({ id }) => `#${id}`}
        query={query}
        list={list}
        rowActions={actionsOf}
        expand={(approval) => <ApprovalDetail approval={approval} />}
        actionsWidth={ACTIONS_PX}
        empty={{
          title: t('empty.title'),
          body: t('empty.body'),
          action: { label: t('empty.action'), run: () => void navigate(LIMITS) },
        }}
        toolbar={<FilterBar fields={fields} list={list} refetch={query.refetch} describe={describe} />}
        filterTexts={list.active.flatMap((name) => describe(name, list.filter[name]) ?? [])}
      />
      {dialog}
      <Suspense fallback={null}>
        {refused && <RefuseDialog id={refused.id} onClose={() => setRefused(undefined)} />}
        {looked && <CorrectionDialog id={looked.id} onClose={() => setLooked(undefined)} />}
      </Suspense>
    </NewestContext>
  );
}

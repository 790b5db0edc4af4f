import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { isAdmin } from '@tollgate/contracts/roles';
import type { TopUpOrder } from '@tollgate/contracts/api/top-up';
import { topUpStatuses } from '@tollgate/contracts/api/top-up-statuses';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import type { TopUpFilter } from '../../api/top-up.api.js';
import { useListTopUpsQuery } from '../../api/top-up.api.js';
import { selectUser } from '../../app/slices/session.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { BusyButton } from '../../components/basics/busy-button.js';
import { Card } from '../../components/layout/card.js';
import { idOrNone, useIdCheck } from '../../components/filters/use-id-check.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import type { FilterSpec } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { useOneAtATime } from '../../components/basics/use-one-at-a-time.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import type { RowAction } from '../../components/tables/table-types.js';
import { ACTIONS_PX, allColumns, noFilter, ownColumns } from './order-columns.js';
import { exportOrders } from './order-export.js';

const TimelineDialog = lazyPart(async () => (await import('./timeline-dialog.js')).TimelineDialog);
const RefundDialog = lazyPart(async () => (await import('./refund-dialog.js')).RefundDialog);

const filterSpec: FilterSpec<TopUpFilter> = {
  defaults: noFilter,
  accept: { status: /^[a-z]*$/, provider: /^(epay|stripe)?$/, user_id: idOrNone },
};

function useFields(all: boolean): FilterField<TopUpFilter>[] {
  const { t } = useTranslation('topup');
  const checkId = useIdCheck();
  const any = { value: '', label: t('search.all') };
  const statuses = [any, ...topUpStatuses.map((value) => ({ value, label: t(`status.${value}`) }))];
  const providers = [any, ...(['epay', 'stripe'] as const).map((value) => ({ value, label: t(`provider.${value}`) }))];
  return [
    { name: 'keyword', kind: 'text', label: t('search.keyword'), placeholder: t('search.keywordHint'), width: 200 },
    { name: 'status', kind: 'select', label: t('search.status'), options: statuses, width: 140 },
    ...(all
      ? ([
          { name: 'provider', kind: 'select', label: t('search.provider'), options: providers, width: 120 },
          { name: 'user_id', kind: 'text', label: t('search.user'), width: 110, check: checkId },
        ] as const)
      : []),
  ];
}

/** Whose orders are listed: `?orders=all` shows administrators those of all users. */
function useScope() {
  const [params, setParams] = useSearchParams();
  const role = useAppSelector(selectUser)?.role ?? 0;
  const all = isAdmin(role) && params.get('orders') === 'all';
  const choose = (next: boolean) =>
    setParams((now) => {
      const changed = new URLSearchParams(now);
      changed.delete('p');
      if (next) changed.set('orders', 'all');
      else changed.delete('orders');
      return changed;
    });
  return { all, choose, canChoose: isAdmin(role) };
}

function ScopeSwitch({ all, choose }: { all: boolean; choose: (all: boolean) => void }) {
  const { t } = useTranslation('topup');
  return (
    <Box role="group" aria-label={t('orders.title')} sx={{ display: 'flex', gap: 0.5 }}>
      {([false, true] as const).map((value) => (
        <Button
          key={String(value)}
          size="small"
          color={all === value ? 'primary' : 'inherit'}
          aria-pressed={all === value}
          sx={{ bgcolor: all === value ? 'primary.soft' : undefined }}
          onClick={() => choose(value)}
        >
          {t(value ? 'orders.all' : 'orders.mine')}
        </Button>
      ))}
    </Box>
  );
}

export function OrderSection() {
  const { t } = useTranslation('topup');
  const dispatch = useAppDispatch();
  const { all, choose, canChoose } = useScope();
  const { perUnit } = useQuotaScale();
  const list = useListState('topup', filterSpec);
  const query = useListTopUpsQuery({ ...list.request, all });
  const [shown, setShown] = useState<TopUpOrder>();
  const [refunding, setRefunding] = useState<TopUpOrder>();
  const describe = (name: keyof TopUpFilter, value: string) => t(`search.chip.${name}`, { value });
  const actionsOf = (order: TopUpOrder): RowAction[] => [
    { id: 'timeline', label: t('orders.timeline'), run: () => setShown(order) },
    ...(all
      ? [
          {
            id: 'refund',
            label: t('orders.refund'),
            danger: true,
            disabledReason: order.status === 'paid' ? undefined : t('orders.notPaid'),
            run: () => setRefunding(order),
          },
        ]
      : []),
  ];
  const file = useOneAtATime(() => dispatch(exportOrders({ all, filter: list.filter }, { perUnit, t })));
  return (
    <Card
      title={t('orders.title')}
      action={
        <>
          {canChoose && <ScopeSwitch all={all} choose={choose} />}
          <BusyButton size="small" startIcon={<DownloadIcon />} busy={file.busy} onClick={file.start}>
            {t('orders.export')}
          </BusyButton>
        </>
      }
    >
      <ResourceTable
        id="topup"
        label={t('orders.title')}
        columns={all ? allColumns : ownColumns}
        rowId={({ id }) => id}
        rowName={({ trade_no: no }) => no}
        query={query}
        list={list}
        rowActions={actionsOf}
        onOpen={setShown}
        actionsWidth={all ? ACTIONS_PX.all : ACTIONS_PX.own}
        empty={{ title: t('orders.empty'), body: t('orders.emptyBody') }}
        toolbar={<FilterBar fields={useFields(all)} list={list} refetch={query.refetch} describe={describe} />}
        filterTexts={list.active.flatMap((name) => describe(name, list.filter[name]) ?? [])}
      />
      <Suspense fallback={null}>
        {shown && <TimelineDialog order={shown} all={all} onClose={() => setShown(undefined)} />}
        {refunding && <RefundDialog order={refunding} onClose={() => setRefunding(undefined)} />}
      </Suspense>
    </Card>
  );
}

import Button from '@mui/material/Button';
import type { TopUpOrder } from '@tollgate/contracts/api/top-up';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { topUpApi, useListTopUpsQuery } from '../../api/top-up.api.js';
import type { Severity } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Callout } from '../../components/feedback/callout.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { ErrorState } from '../../components/feedback/states.js';
import { moneyOf, noFilter } from './order-columns.js';

const POLL_MS = 3000;
const severities: Record<TopUpOrder['status'], Severity> = {
  pending: 'info',
  paid: 'success',
  expired: 'warning',
  refused: 'error',
  refunded: 'info',
};

/** The order that the user returns from paying; polled until it is decided. */
function useOrder(tradeNo: string) {
  const request = { page: 1, size: 10, all: false, filter: { ...noFilter, keyword: tradeNo } };
  const first = useListTopUpsQuery(request);
  const order = first.currentData?.items.find(({ trade_no: no }) => no === tradeNo);
  // The same arguments as above share one cache entry and one request; this subscription adds polling while the order
  // is pending.
  const query = useListTopUpsQuery(request, {
    pollingInterval: order?.status === 'pending' ? POLL_MS : 0,
    skipPollingIfUnfocused: true,
  });
  useNewBalance(order?.status);
  return { ...query, order };
}

/** Fetches the balance and the orders again when the payment arrives, which the live stream reports only while it is up. */
function useNewBalance(status: TopUpOrder['status'] | undefined): void {
  const dispatch = useAppDispatch();
  const before = useRef(status);
  useEffect(() => {
    if (status === 'paid' && before.current === 'pending') dispatch(topUpApi.util.invalidateTags(['Self']));
    before.current = status;
  }, [status, dispatch]);
}

/** The result of a payment. */
export function ResultCard({ tradeNo }: { tradeNo: string }) {
  const { t } = useTranslation('topup');
  const scale = useQuotaScale();
  const [, setParams] = useSearchParams();
  const { order, currentData: data, error, refetch } = useOrder(tradeNo);
  const close = () =>
    setParams((now) => {
      const next = new URLSearchParams(now);
      next.delete('order');
      return next;
    });
  if (!data)
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Placeholder sx={{ height: 64 }} />;
  if (!order) {
    return (
      <Callout severity="warning" onClose={close}>
        {t('result.unknown', { no: tradeNo })}
      </Callout>
    );
  }
  const { status, quota } = order;
  const words = { no: order.trade_no, quota: formatQuota(quota, scale), money: moneyOf(order, t) };
  return (
    <Callout
      severity={severities[status]}
      role="status"
      title={t(`result.${status}`, words)}
      onClose={close}
      action={
        status === 'paid' || status === 'refunded' ? undefined : (
          <Button size="small" onClick={() => void refetch()}>
            {t('result.check')}
          </Button>
        )
      }
    >
      {t(`result.${status}Body`, words)}
    </Callout>
  );
}

import type { TopUpOrder } from '@tollgate/contracts/api/top-up';
import { quotaToUsd } from '@tollgate/pricing';
import type { TFunction } from 'i18next';
import { isApiError } from '../../api/api-error.js';
import type { TopUpFilter } from '../../api/top-up.api.js';
import { topUpApi } from '../../api/top-up.api.js';
import { runJob, stepCall } from '../../app/run-job.js';
import { toastShown } from '../../app/slices/toasts.js';
import type { AppThunk } from '../../app/store.js';
import { csvTime, downloadCsv } from '../../components/basics/csv.js';

const SIZE = 100;
const MOST_EXPORTED = 10_000;

interface Asked {
  all: boolean;
  filter: TopUpFilter;
}
interface Printed {
  perUnit: number;
  t: TFunction<'topup'>;
}

/** Units and money exact, times with their offset. */
export function orderCsv(orders: TopUpOrder[], { perUnit, t }: Printed): (string | number)[][] {
  const head = ['no', 'user', 'status', 'method', 'money'] as const;
  return [
    [
      ...head.map((name) => t(`column.${name}`)),
      t('export.head.currency'),
      t('export.head.units'),
      'USD',
      ...(['created', 'paid'] as const).map((name) => t(`column.${name}`)),
    ],
    ...orders.map((order) => [
      order.trade_no,
      order.user_id,
      t(`status.${order.status}`),
      `${order.provider}/${order.payment_method}`,
      order.money,
      order.currency,
      order.quota,
      quotaToUsd(order.quota, perUnit, 6),
      csvTime(order.create_time),
      csvTime(order.complete_time),
    ]),
  ];
}

/** One page; an order that arrives meanwhile shifts pages, so orders are kept by id. */
const load =
  ({ all, filter }: Asked, page: number, into: Map<number, TopUpOrder>): AppThunk<Promise<number>> =>
  async (dispatch) => {
    const request = { all, filter, page, size: SIZE };
    const asked = topUpApi.endpoints.listTopUps.initiate(request, { forceRefetch: true, subscribe: false });
    const { items, total = 0 } = await dispatch(asked).unwrap();
    for (const order of items) into.set(order.id, order);
    return total;
  };

const collect =
  (asked: Asked, printed: Printed): AppThunk<Promise<void>> =>
  async (dispatch) => {
    const { t } = printed;
    const found = new Map<number, TopUpOrder>();
    const total = await dispatch(load(asked, 1, found));
    if (total === 0) {
      dispatch(toastShown({ severity: 'info', key: 'topup:export.nothing' }));
      return;
    }
    const wanted = Math.min(total, MOST_EXPORTED);
    const steps = Array.from({ length: Math.ceil(wanted / SIZE) }, (_, index) => ({
      name: t('export.page', { start: index * SIZE + 1, end: Math.min((index + 1) * SIZE, wanted) }),
      run: async () => {
        if (index > 0) await dispatch(load(asked, index + 1, found));
        return t('export.loaded');
      },
    }));
    const results = await dispatch(
      runJob({ titleKey: 'topup:export.title', calls: steps.map(stepCall), stopOnFailure: true }),
    );
    // A file that lacks a page would look like a whole one.
    if (results.length < steps.length || results.some(({ ok }) => !ok)) return;
    const orders = [...found.values()].slice(0, MOST_EXPORTED);
    downloadCsv(`orders_${new Date().toLocaleDateString('sv-SE')}.csv`, orderCsv(orders, printed));
    const [severity, key] = total > MOST_EXPORTED ? (['warning', 'cut'] as const) : (['success', 'done'] as const);
    dispatch(toastShown({ severity, key: `topup:export.${key}`, params: { count: orders.length, total } }));
  };

/** All orders that the filters match, not only the page in view. */
export const exportOrders =
  (asked: Asked, printed: Printed): AppThunk<Promise<void>> =>
  async (dispatch) => {
    await dispatch(collect(asked, printed)).catch((error: unknown) => {
      if (!isApiError(error)) throw error;
      dispatch(toastShown({ severity: 'error', error }));
    });
  };

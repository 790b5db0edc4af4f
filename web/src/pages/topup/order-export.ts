import type { TopUpOrder } from '@tollgate/contracts/api/top-up';
import { quotaToUsd } from '@tollgate/pricing';
import type { TFunction } from 'i18next';
import type { TopUpFilter } from '../../api/top-up.api.js';
import { topUpApi } from '../../api/top-up.api.js';
import { csvName } from '../../app/download.js';
import type { AppThunk } from '../../app/store.js';
import { csvTime } from '../../components/basics/csv.js';
import { exportRows } from '../../components/basics/export-rows.js';

interface Asked {
  all: boolean;
  filter: TopUpFilter;
}
interface Printed {
  perUnit: number;
  t: TFunction<'topup'>;
}

/** Lines of the export: exact units and amounts, times with their UTC offset. */
function orderCsv(orders: TopUpOrder[], { perUnit, t }: Printed): (string | number)[][] {
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

/** Exports all orders that match the filters, not only the current page. */
export const exportOrders = ({ all, filter }: Asked, printed: Printed): AppThunk<Promise<void>> =>
  exportRows<TopUpOrder>({
    texts: 'topup',
    load: (page, size) => (run) =>
      run(
        topUpApi.endpoints.listTopUps.initiate({ all, filter, page, size }, { forceRefetch: true, subscribe: false }),
      ).unwrap(),
    idOf: ({ id }) => id,
    linesOf: (orders) => orderCsv(orders, printed),
    fileOf: () => csvName('orders'),
  });

import type { Harm } from './reconcile-site.js';

/** Changes of orders, price versions, invoices and statements. */
export const harmsOfSales: Harm[] = [
  [
    'a paid order without a posting',
    'billing.top_up_order',
    `insert into billing.top_up_order (user_id, trade_no, provider, method, merchant, status, amount, quota, money, currency, created_at, expires_at) values (2, 'T9', 'epay', 'a', 'b', 'paid', 1, 500, '1', 'CNY', now(), now())`,
    'order:T9',
  ],
  ['a paid order removed', 'billing.top_up_order', `delete from billing.top_up_order where status = 'paid'`, /^order:/],
  [
    'a paid order that waits again',
    'billing.top_up_order',
    `update billing.top_up_order set status = 'pending' where status = 'paid'`,
    /^order:/,
  ],
  [
    'an order of another amount',
    'billing.top_up_order',
    `update billing.top_up_order set quota = quota + 1 where status = 'paid'`,
    /^order:/,
  ],
  [
    'an order moved to another user',
    'billing.top_up_order',
    `update billing.top_up_order set user_id = 1 where status = 'paid'`,
    /^order:/,
  ],
  [
    'an order of other money',
    'billing.top_up_order',
    `update billing.top_up_order set money = '0.01' where status = 'paid'`,
    /^order:/,
  ],
  [
    'an order of another currency',
    'billing.top_up_order',
    `update billing.top_up_order set currency = 'XXX'`,
    /^order:/,
  ],
  [
    'the posting of an order removed',
    'billing.posting',
    `delete from billing.posting where code = 'top-up'`,
    /^order:/,
  ],
  [
    'a price version removed',
    'billing.price_version',
    `update billing.price_version set id = 'gone'`,
    /^price version/,
  ],
  [
    'a price version with other prices',
    'billing.price_version',
    `update billing.price_version set document = replace(document::text, '1.25', '2.5')::jsonb`,
    'ID',
  ],
  [
    'a price version that is known since another day',
    'billing.price_version',
    `update billing.price_version set created_at = created_at - interval '1 day'`,
    /^price version/,
  ],
  [
    'prices that came into force on another day',
    'billing.price_publication',
    `update billing.price_publication set published_at = published_at - interval '1 day'`,
    /^price version/,
  ],
  [
    'a publication of prices removed',
    'billing.price_publication',
    `delete from billing.price_publication`,
    /^price version/,
  ],
  [
    'a publication of prices that nobody made',
    'billing.price_publication',
    `insert into billing.price_publication select revision + 100, price_version, option_revision, published_at from billing.price_publication order by 1 desc limit 1`,
    /^price version/,
  ],
  [
    'a line of an invoice with other tokens',
    'billing.invoice_line',
    `update billing.invoice_line set input = input + 1`,
    /^invoice:/,
  ],
  [
    'a line of an invoice removed',
    'billing.invoice_line',
    `delete from billing.invoice_line where model = 'gpt-4o'`,
    /^invoice:/,
  ],
  ['all lines of an invoice removed', 'billing.invoice_line', `delete from billing.invoice_line`, /^invoice:/],
  [
    'a line of an invoice added',
    'billing.invoice_line',
    `insert into billing.invoice_line select invoice_id, day, 'another', requests, input, cached, output, amount from billing.invoice_line limit 1`,
    /^invoice:/,
  ],
  ['an invoice removed', 'billing.invoice', `delete from billing.invoice`, /^invoice:/],
  ['an invoice for other channels', 'billing.invoice', `update billing.invoice set channel_ids = '{7}'`, /^invoice:/],
  [
    'a statement with another sum',
    'billing.statement_day',
    `update billing.statement_day set amount = amount + 1 where code = 'consumption'`,
    /^statement of .* for user 2, consumption/,
  ],
  ['a statement removed', 'billing.statement_day', `delete from billing.statement_day`, /^statement of .* for user 2/],
  [
    'a statement moved to another user',
    'billing.statement_day',
    `update billing.statement_day set user_id = 1 where code = 'consumption'`,
    /^statement of .* for user 1, consumption/,
  ],
  [
    'a statement of another day',
    'billing.statement_day',
    `update billing.statement_day set origin = origin - 1 where code = 'consumption'`,
    /^statement of .* for user 2, consumption/,
  ],
];

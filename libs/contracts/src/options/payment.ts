import { topUpGroupRatios } from './json-schemas.js';
import { option } from './option.js';
import { address, decimal, integer, line, oneOf } from './text-schemas.js';

const payment = { minRole: 10, card: 'system.payment' } as const;

/** Online top-up is enabled when address, id and key of the EasyPay gateway are all set. */
export const paymentOptions = {
  PayAddress: option({ ...payment, schema: address, default: '' }),
  EpayId: option({ ...payment, schema: line, default: '' }),
  EpayKey: option({ ...payment, schema: line, default: '', secret: true }),
  /** Base of the notify URL; empty for `ServerAddress`. */
  CustomCallbackAddress: option({ ...payment, schema: address, default: '' }),
  /** Yuan per USD. */
  Price: option({ ...payment, schema: decimal(0.000001, 1_000_000), default: '7.3', inStatus: true }),
  /** USD. */
  MinTopUp: option({ ...payment, schema: integer(1, 1_000_000), default: '1', inStatus: true }),
  /** Card payments by Stripe are enabled when both are set; the second belongs to the webhook for `/api/user/stripe/notify`. */
  StripeApiSecret: option({ ...payment, schema: line, default: '', secret: true }),
  StripeWebhookSecret: option({ ...payment, schema: line, default: '', secret: true }),
  /** Price of one USD in the currency of card payments. */
  StripePrice: option({ ...payment, schema: decimal(0.000001, 1_000_000), default: '1' }),
  StripeCurrency: option({
    ...payment,
    schema: oneOf('USD', 'EUR', 'GBP', 'CNY', 'HKD', 'SGD', 'AUD', 'CAD'),
    default: 'USD',
  }),
  /** Address of Stripe's API; other addresses are for tests. */
  StripeApiAddress: option({
    ...payment,
    schema: address,
    default: 'https://api.stripe.com',
    receives: 'StripeApiSecret',
  }),
  /** User group → multiplier of the top-up price; 0 and an absent group count as 1. */
  TopupGroupRatio: option({ ...payment, schema: topUpGroupRatios, default: '{"default":1,"vip":1,"svip":1}' }),
};

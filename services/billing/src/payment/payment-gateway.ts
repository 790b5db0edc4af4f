import type { PaymentProvider } from '@tollgate/contracts/api/top-up';

/** A payment that a provider is to collect. `money` is an exact decimal with two digits. */
export interface Bill {
  tradeNo: string;
  method: string;
  /** The title on the provider's page. */
  title: string;
  money: string;
  currency: string;
  /** `notifyUrl`: where the provider reports the payment; `returnUrl`: where it sends the browser afterwards. */
  notifyUrl: string;
  returnUrl: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** Where to send the browser: with a form of these fields, or by a plain link where there are none. */
export interface Checkout {
  url: string;
  fields: Record<string, string>;
}

/** A provider's request as received: the query of a GET, the bytes of a POST. */
export interface Callback {
  query: Readonly<Record<string, string>>;
  body: Buffer;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A notice whose signature was verified. */
export interface Notice {
  tradeNo: string;
  /** The account at the provider that received the money. */
  merchant: string;
  money: string;
  currency: string;
  isPaid: boolean;
}

type Disbelief = 'not-configured' | 'unreadable' | 'malformed' | 'bad-signature';

/**
 * `notice`: signed, and about an order. `ignored`: signed, but not about an order of ours. `refused`: not trusted, so
 * nothing but the order number is read from it.
 */
export type Reading =
  { kind: 'notice'; notice: Notice } | { kind: 'refused'; verdict: Disbelief; tradeNo: string } | { kind: 'ignored' };

/** One payment provider. Reading a callback is pure; only `checkout` may call the provider. */
export interface PaymentGateway {
  provider: PaymentProvider;
  /** The currency of this provider's orders. */
  currency(): string;
  /** Price of one USD in that currency. */
  price(): number;
  /** False while a required option is empty; the gateway then neither collects payments nor accepts notices. */
  isConfigured(): boolean;
  /** The account that notices must name. */
  merchant(): string;
  /** The page of the console to which the browser returns. */
  returnPath(tradeNo: string): string;
  checkout(bill: Bill): Promise<Checkout>;
  read(callback: Callback): Reading;
}

import type { PaymentProvider } from '@tollgate/contracts/api/top-up';

/** What a provider is asked to collect. `money` is an exact decimal with two digits. */
export interface Bill {
  tradeNo: string;
  method: string;
  /** As it reads on the page of the provider. */
  title: string;
  money: string;
  currency: string;
  /** Where the provider reports to, and where it sends the person afterwards. */
  notifyUrl: string;
  returnUrl: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** Where the browser goes: by a form with these fields, or by plain navigation where there are none. */
export interface Checkout {
  url: string;
  fields: Record<string, string>;
}

/** What a provider sent, as it came: the query of a GET, the bytes of a POST. */
export interface Callback {
  query: Readonly<Record<string, string>>;
  body: Buffer;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A message that the provider itself signed. */
export interface Notice {
  tradeNo: string;
  /** The account with the provider that was paid. */
  merchant: string;
  money: string;
  currency: string;
  isPaid: boolean;
}

export type Disbelief = 'not-configured' | 'unreadable' | 'malformed' | 'bad-signature';

/** `ignored`: signed, and about something that is none of ours. Texts that nobody signed say nothing about an order but its number. */
export type Reading =
  { kind: 'notice'; notice: Notice } | { kind: 'refused'; verdict: Disbelief; tradeNo: string } | { kind: 'ignored' };

/** One way to pay. Reading a callback is pure; only making a checkout may ask the provider. */
export interface PaymentGateway {
  provider: PaymentProvider;
  /** What orders of this provider are paid in. */
  currency(): string;
  /** Price of one USD, in that currency. */
  price(): number;
  /** False while an option that it needs is empty: then it neither collects nor believes anything. */
  isConfigured(): boolean;
  /** The account that notices must name. */
  merchant(): string;
  /** The page of the console that people come back to. */
  returnPath(tradeNo: string): string;
  checkout(bill: Bill): Promise<Checkout>;
  read(callback: Callback): Reading;
}

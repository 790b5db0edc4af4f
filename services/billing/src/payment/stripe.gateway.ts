import { createRequire } from 'node:module';
import { Injectable } from '@nestjs/common';
import { Clock, OptionStore, OutboundClient } from '@tollgate/chassis';
import { Decimal } from 'decimal.js';
import type Stripe from 'stripe';
import { z } from 'zod';
import type { Bill, Callback, Checkout, PaymentGateway, Reading } from './payment-gateway.js';
import { isTradeNo } from './trade-number.js';

const require = createRequire(import.meta.url);
/** Loaded on first use, because it takes seven megabytes of memory. */
const loaded = (): typeof Stripe => require('stripe') as typeof Stripe;

const SIGNATURE = 'stripe-signature';
/** Maximum age of a webhook's signature; an older one may be a replay. */
const TOLERANCE_SECONDS = 300;
const TIMEOUT_MS = 10_000;
/** Both events report a paid checkout; some payment methods are confirmed after the page was completed. */
const PAID_EVENTS = new Set(['checkout.session.completed', 'checkout.session.async_payment_succeeded']);

/**
 * The members that are read from an event about a checkout. Another API version, or another sender with the key, may
 * write them differently.
 */
const paidEventSchema = z.object({
  livemode: z.boolean(),
  data: z.object({
    object: z.object({
      client_reference_id: z.string().nullish(),
      amount_total: z.int().min(0).nullable(),
      currency: z.string().nullable(),
      payment_status: z.string(),
    }),
  }),
});

/** The account may also sell by other means, whose checkouts have references of their own or none. */
const isForeign = (reference: string): boolean => reference !== '' && !isTradeNo(reference);
/** The minimum by which an otherwise unreadable event is matched to its order. */
const referenceSchema = z.object({ data: z.object({ object: z.object({ client_reference_id: z.string() }) }) });

/** Card payments on Stripe's hosted page, reported by signed events. */
@Injectable()
export class StripeGateway implements PaymentGateway {
  readonly provider = 'stripe' as const;

  constructor(
    private readonly options: OptionStore,
    private readonly outbound: OutboundClient,
    private readonly clock: Clock,
  ) {}

  currency(): string {
    return this.options.get('StripeCurrency');
  }

  price(): number {
    return this.options.get('StripePrice');
  }

  /** Stripe's events state whether they belong to the live or to the test mode of the account. */
  merchant(): string {
    return /^(sk|rk)_live_/.test(this.options.get('StripeApiSecret')) ? 'live' : 'test';
  }

  isConfigured(): boolean {
    return this.options.get('StripeApiSecret') !== '' && this.options.get('StripeWebhookSecret') !== '';
  }

  returnPath(tradeNo: string): string {
    return `/topup?order=${tradeNo}`;
  }

  async checkout({ tradeNo, title, money, currency, returnUrl, expiresAt }: Bill): Promise<Checkout> {
    const session = await this.api().checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: tradeNo,
        success_url: returnUrl,
        cancel_url: returnUrl,
        expires_at: expiresAt,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: currency.toLowerCase(),
              unit_amount: new Decimal(money).times(100).toNumber(),
              product_data: { name: title },
            },
          },
        ],
      },
      { idempotencyKey: tradeNo },
    );
    if (!session.url) throw new Error('Stripe made a checkout without an address');
    return { url: session.url, fields: {} };
  }

  read({ body, headers }: Callback): Reading {
    if (!this.isConfigured()) return { kind: 'refused', verdict: 'not-configured', tradeNo: '' };
    const header = headers[SIGNATURE];
    if (typeof header !== 'string') return { kind: 'refused', verdict: 'bad-signature', tradeNo: '' };
    const event = this.eventOf(body, header);
    if (!event) return { kind: 'refused', verdict: 'bad-signature', tradeNo: '' };
    if (!PAID_EVENTS.has(event.type)) return { kind: 'ignored' };
    const reference = referenceOf(event);
    if (isForeign(reference)) return { kind: 'ignored' };
    const known = paidEventSchema.safeParse(event).data;
    if (!known) return { kind: 'refused', verdict: 'malformed', tradeNo: reference };
    const { client_reference_id: tradeNo, amount_total: cents, currency, payment_status: paid } = known.data.object;
    if (!tradeNo || cents === null || !currency) return { kind: 'ignored' };
    // A page completed without payment is followed by another event.
    if (paid !== 'paid') return { kind: 'ignored' };
    return {
      kind: 'notice',
      notice: {
        tradeNo,
        merchant: known.livemode ? 'live' : 'test',
        money: new Decimal(cents).div(100).toFixed(2),
        currency: currency.toUpperCase(),
        isPaid: true,
      },
    };
  }

  private eventOf(body: Buffer, header: string): Stripe.Event | undefined {
    const secret = this.options.get('StripeWebhookSecret');
    const { webhooks } = loaded();
    try {
      return webhooks.constructEvent(body, header, secret, TOLERANCE_SECONDS, undefined, this.clock.now());
    } catch {
      return undefined;
    }
  }

  private api(): Stripe {
    const { protocol, hostname, port } = new URL(this.options.get('StripeApiAddress'));
    const scheme = protocol === 'http:' ? 'http' : 'https';
    const Client = loaded();
    return new Client(this.options.get('StripeApiSecret'), {
      httpClient: Client.createFetchHttpClient(this.guardedFetch()),
      host: hostname,
      port: port || (scheme === 'http' ? 80 : 443),
      protocol: scheme,
      timeout: TIMEOUT_MS,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  }

  /**
   * Calls the address, which is an option, through the outbound client with its checks, like every address that people
   * can set.
   */
  private guardedFetch(): typeof fetch {
    return async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      const headers = Object.fromEntries(new Headers(init?.headers));
      const body = typeof init?.body === 'string' ? init.body : undefined;
      const method = init?.method === 'GET' ? 'GET' : 'POST';
      const reply = await this.outbound.send({ kind: 'admin', method, url, headers, body, timeoutMs: TIMEOUT_MS });
      return new Response(new Uint8Array(reply.body), { status: reply.status, headers: plain(reply.headers) });
    };
  }
}

const referenceOf = (event: unknown): string =>
  referenceSchema.safeParse(event).data?.data.object.client_reference_id ?? '';

/** The headers of a reply without those of its transport, which do not match the decoded body. */
const plain = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || /^(content-encoding|content-length|transfer-encoding)$/i.test(name)
        ? []
        : [[name, String(value)]],
    ),
  );

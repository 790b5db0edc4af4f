import { Injectable } from '@nestjs/common';
import type { PaymentProvider } from '@tollgate/contracts/api/top-up';
import { EpayGateway } from './epay.gateway.js';
import { epayMethod } from './epay.js';
import type { PaymentGateway } from './payment-gateway.js';
import { StripeGateway } from './stripe.gateway.js';

/** Every way to pay, by its provider; the compiler names the one that is missing. */
@Injectable()
export class PaymentGateways {
  private readonly all: Record<PaymentProvider, PaymentGateway>;

  constructor(epay: EpayGateway, stripe: StripeGateway) {
    this.all = { epay, stripe };
  }

  of(provider: PaymentProvider): PaymentGateway {
    return this.all[provider];
  }

  /** The provider behind a method of the console, and what that provider calls it. */
  for(method: string): { gateway: PaymentGateway; method: string } {
    return method === 'stripe'
      ? { gateway: this.all.stripe, method: 'card' }
      : { gateway: this.all.epay, method: epayMethod(method) };
  }
}

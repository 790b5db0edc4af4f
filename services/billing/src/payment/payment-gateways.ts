import { Injectable } from '@nestjs/common';
import type { PaymentProvider } from '@tollgate/contracts/api/top-up';
import { EpayGateway } from './epay.gateway.js';
import { epayMethod } from './epay.js';
import type { PaymentGateway } from './payment-gateway.js';
import { StripeGateway } from './stripe.gateway.js';

/** All payment gateways by provider; the compiler reports a missing one. */
@Injectable()
export class PaymentGateways {
  private readonly all: Record<PaymentProvider, PaymentGateway>;

  constructor(epay: EpayGateway, stripe: StripeGateway) {
    this.all = { epay, stripe };
  }

  of(provider: PaymentProvider): PaymentGateway {
    return this.all[provider];
  }

  /** The gateway for a payment method of the console, and the provider's own name of the method. */
  for(method: string): { gateway: PaymentGateway; method: string } {
    return method === 'stripe'
      ? { gateway: this.all.stripe, method: 'card' }
      : { gateway: this.all.epay, method: epayMethod(method) };
  }
}

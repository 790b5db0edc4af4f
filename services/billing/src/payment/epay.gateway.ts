import { Injectable } from '@nestjs/common';
import { OptionStore } from '@tollgate/chassis';
import { epayFieldsOf, isEpayPaid, isEpaySigned, signedEpayFields } from './epay.js';
import type { Bill, Callback, Checkout, PaymentGateway, Reading } from './payment-gateway.js';

/** Gateways of the EasyPay protocol: the browser submits a signed form to them, and they send a signed notice back. */
@Injectable()
export class EpayGateway implements PaymentGateway {
  readonly provider = 'epay' as const;

  constructor(private readonly options: OptionStore) {}

  currency(): string {
    return 'CNY';
  }

  price(): number {
    return this.options.get('Price');
  }

  merchant(): string {
    return this.options.get('EpayId');
  }

  isConfigured(): boolean {
    return [this.options.get('PayAddress'), this.merchant(), this.options.get('EpayKey')].every((text) => text !== '');
  }

  /** As documented; the page on which the payment began stays open in its own tab. */
  returnPath(): string {
    return '/log';
  }

  checkout({ tradeNo, method, title, money, notifyUrl, returnUrl }: Bill): Promise<Checkout> {
    const fields = {
      pid: this.merchant(),
      type: method,
      out_trade_no: tradeNo,
      notify_url: notifyUrl,
      return_url: returnUrl,
      name: title,
      money,
      device: 'pc',
    };
    const url = `${this.options.get('PayAddress')}/submit.php`;
    return Promise.resolve({ url, fields: signedEpayFields(fields, this.options.get('EpayKey')) });
  }

  read({ query, body }: Callback): Reading {
    const fields = epayFieldsOf(query, body.toString('utf8'));
    const tradeNo = fields['out_trade_no'] ?? '';
    if (!this.isConfigured()) return { kind: 'refused', verdict: 'not-configured', tradeNo };
    if (tradeNo === '') return { kind: 'refused', verdict: 'unreadable', tradeNo };
    if (!isEpaySigned(fields, this.options.get('EpayKey')))
      return { kind: 'refused', verdict: 'bad-signature', tradeNo };
    const { pid: merchant = '', money = '' } = fields;
    return { kind: 'notice', notice: { tradeNo, merchant, money, currency: 'CNY', isPaid: isEpayPaid(fields) } };
  }
}

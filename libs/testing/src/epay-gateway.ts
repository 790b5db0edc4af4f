import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const EPAY_ID = '1001';
export const EPAY_KEY = 'a key of the merchant';

type Form = Record<string, string>;

/** An EasyPay gateway: accepts signed forms, shows a payment page, and reports payments by signed callbacks. */
export interface EpayTestGateway {
  url: string;
  /** Forms with a valid signature, oldest first. */
  orders: Form[];
  /**
   * Reports an order as paid, alternately by GET and POST, and resolves to the merchant's reply. `change` overrides
   * fields, to report wrong ones.
   */
  notify(tradeNo: string, change?: Form): Promise<string>;
  close(): Promise<void>;
}

/**
 * A second implementation of the signature, written from the protocol, so that a mistake in ours does not confirm
 * itself.
 */
function signatureOf(form: Form): string {
  const names = Object.keys(form).filter((name) => !['sign', 'sign_type'].includes(name) && form[name] !== '');
  const text = names
    .sort()
    .map((name) => `${name}=${form[name]}`)
    .join('&');
  return createHash('md5').update(`${text}${EPAY_KEY}`).digest('hex');
}

export async function startEpayGateway(): Promise<EpayTestGateway> {
  const orders: Form[] = [];
  let notices = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      const isRight = request.url === '/submit.php' && form['sign'] === signatureOf(form) && form['pid'] === EPAY_ID;
      if (isRight) orders.push(form);
      response.writeHead(isRight ? 200 : 400, { 'content-type': 'text/html; charset=utf-8' });
      response.end(isRight ? `<title>Cashier</title><h1>Cashier ${form['money']}</h1>` : 'bad form');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    async notify(tradeNo, change = {}) {
      const order = orders.find((form) => form['out_trade_no'] === tradeNo);
      if (!order) throw new Error(`nobody brought order ${tradeNo}`);
      const { pid = '', type = '', money = '', name = '', notify_url: target = '' } = order;
      const notice: Form = { pid, type, money, name, trade_no: '1', out_trade_no: tradeNo, ...change };
      notice['trade_status'] ??= 'TRADE_SUCCESS';
      const signed = { ...notice, sign: signatureOf(notice), sign_type: 'MD5' };
      const form = new URLSearchParams(signed);
      notices += 1;
      const reply = await (notices % 2
        ? fetch(`${target}?${form.toString()}`)
        : fetch(target, { method: 'POST', body: form }));
      return reply.text();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

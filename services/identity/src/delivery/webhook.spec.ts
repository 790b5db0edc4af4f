import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { type OptionStore, OutboundClient, type OutboundRequest, parseAllowance } from '@tollgate/chassis';
import { Webhooks } from './webhook.js';

// A public address, so that no name has to be resolved.
const message = { url: 'https://1.1.1.1/in?key=1', body: '{"type":"quota_exceed"}', secret: 'hush' };
const signature = createHmac('sha256', 'hush').update(message.body).digest('hex');
const bearer = { 'content-type': 'application/json', authorization: 'Bearer hush', 'x-webhook-signature': signature };

function webhooksThatAnswer(status: number, worker = '') {
  const sent: OutboundRequest[] = [];
  const values: Record<string, string> = { WorkerUrl: worker, WorkerValidKey: 'valid' };
  const options = { get: (key: string) => values[key] } as unknown as OptionStore;
  const send = (request: OutboundRequest) => {
    sent.push(request);
    return Promise.resolve({ status, headers: { location: 'http://127.0.0.1/' }, body: Buffer.alloc(0) });
  };
  // Resolves addresses but does not connect.
  const outbound = Object.assign(new OutboundClient(parseAllowance('')), { send });
  return { webhooks: new Webhooks(options, outbound), sent };
}

describe('webhooks', () => {
  it('are sent with the body that was signed, under the outbound policy for addresses that users enter', async () => {
    const { webhooks, sent } = webhooksThatAnswer(204);
    await webhooks.send(message);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      kind: 'user',
      method: 'POST',
      url: message.url,
      body: message.body,
      headers: bearer,
      onlyStatus: true,
    });
  });

  it('have arrived when the receiver answers 2xx, however much it sends', async () => {
    const receiver = createServer((_, response) => response.end(Buffer.alloc(1024 * 1024)));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const values: Record<string, string> = {
      WorkerUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
      WorkerValidKey: 'valid',
    };
    const options = { get: (key: string) => values[key] } as unknown as OptionStore;
    const outbound = new OutboundClient(parseAllowance('127.0.0.1'));
    try {
      await new Webhooks(options, outbound).send(message);
    } finally {
      await outbound.cut();
      receiver.closeAllConnections();
      receiver.close();
    }
  });

  it('carry no signature without a secret', async () => {
    const { webhooks, sent } = webhooksThatAnswer(200);
    await webhooks.send({ ...message, secret: '' });
    expect(sent[0]?.headers).toEqual({ 'content-type': 'application/json' });
  });

  it.each([301, 302, 307, 400, 500])('fail on status %i, and follow no redirect', async (status) => {
    const { webhooks, sent } = webhooksThatAnswer(status);
    await expect(webhooks.send(message)).rejects.toMatchObject({
      code: 'webhook-failed',
      message: `对方返回 HTTP ${status}`,
    });
    expect(sent).toHaveLength(1);
  });

  it('are not sent unencrypted', async () => {
    const { webhooks, sent } = webhooksThatAnswer(200);
    await expect(webhooks.send({ ...message, url: 'http://hooks.example' })).rejects.toMatchObject({
      details: { params: { final: true } },
    });
    expect(sent).toEqual([]);
  });

  it('are sent through the worker, with its key, when one is configured', async () => {
    const { webhooks, sent } = webhooksThatAnswer(200, 'https://worker.example');
    await webhooks.send(message);
    expect(sent[0]).toMatchObject({ kind: 'admin', method: 'POST', url: 'https://worker.example/' });
    expect(JSON.parse(String(sent[0]?.body))).toEqual({
      url: message.url,
      key: 'valid',
      method: 'POST',
      headers: bearer,
      body: { type: 'quota_exceed' },
    });
  });

  it.each([
    ['address-not-allowed', 'https://127.0.0.1/in'],
    ['unreachable', `https://${'a'.repeat(64)}.invalid/in`],
  ])('are not sent to the worker when the address is refused as %s', async (code, url) => {
    const { webhooks, sent } = webhooksThatAnswer(200, 'https://worker.example');
    await expect(webhooks.send({ ...message, url })).rejects.toMatchObject({ code });
    expect(sent).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type HostileEndpoint,
  type HostileUpstream,
  readUntil,
  say,
  scenarios,
  startHostileUpstream,
  words,
} from '@tollgate/testing';
import { LoneProduct } from '../support/lone-product.js';
import { logRows } from '../support/relay-site.js';

const environment = { TOLLGATE_DRAIN_SECONDS: '1' };

describe('a product that is stopped while it drains replies of disconnected clients', () => {
  let hostile: HostileUpstream;
  let product: LoneProduct;

  beforeAll(async () => {
    hostile = await startHostileUpstream();
    product = await LoneProduct.open(environment);
  }, 120_000);
  afterAll(async () => {
    await product?.close();
    await hostile?.close();
  });

  /** Disconnects while the upstream is working; for a stream, after a few words. */
  async function leave(key: string, endpoint: HostileEndpoint, body: object): Promise<void> {
    const leaving = new AbortController();
    const asked = fetch(`${product.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ max_tokens: 5000, messages: [{ role: 'user', content: 'three plain words' }], ...body }),
      signal: leaving.signal,
    });
    asked.catch(() => undefined);
    await readUntil(
      () => Promise.resolve(endpoint.seen()),
      ([first]) => (first?.body.length ?? 0) > 0,
    );
    if ('stream' in body) {
      const reader = (await asked).body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let got = ''; !got.includes('w10');) got += (await reader?.read())?.value ?? '';
    }
    leaving.abort();
  }

  it('books them as far as they were received, and aborts their upstream', async () => {
    const { site } = product;
    await site.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    const key = await site.token(await site.user('leaver', 1_000_000_000));
    const setting = JSON.stringify({ abort_policy: 'drain' });
    const stream = hostile.endpoint((stage) => say(stage, { words: words(5000), paceMs: 20 }));
    const whole = hostile.endpoint(scenarios.fallSilent('before the head'));
    await site.channel({ name: 'stream', type: 1, base_url: stream.url, models: 'stream', setting });
    await site.channel({ name: 'whole', type: 1, base_url: whole.url, models: 'whole', setting });
    await leave(key, stream, { model: 'stream', stream: true });
    await leave(key, whole, { model: 'whole' });
    expect(await product.stop()).toBe(0);
    expect(stream.seen()[0]?.abortedAt).toBeDefined();
    await product.restart();
    const rows = await readUntil(
      () => logRows(product.site),
      ({ length }) => length > 1,
    );
    const of = (model: string) => rows.find(({ model_name: name }) => name === model);
    for (const model of ['stream', 'whole'])
      expect(of(model)?.other).toMatchObject({ outcome: 'client_abort', abort_policy: 'drain' });
    expect(of('stream')?.completion_tokens).toBeGreaterThanOrEqual(10);
    expect(of('whole')?.prompt_tokens).toBeGreaterThanOrEqual(3);
  }, 120_000);
});

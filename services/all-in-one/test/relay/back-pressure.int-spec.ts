import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type FakeUpstream, readUntil, startFakeUpstream } from '@tollgate/testing';
import { LoneProduct } from '../support/lone-product.js';
import { ask, logRows, MODELS, read } from '../support/relay-site.js';

const STREAMS = 300;
const MB = 1024 * 1024;

describe('slow readers', () => {
  let upstream: FakeUpstream;
  let product: LoneProduct;
  let key: string;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    product = await LoneProduct.open();
    const { site } = product;
    await site.channel({ name: 'openai', type: 1, base_url: upstream.url, models: MODELS.openai });
    key = await site.token(await site.user('reader', 1_000_000_000));
  }, 180_000);
  afterAll(async () => {
    await product?.close();
    await upstream?.close();
  }, 60_000);

  const bytesInMemory = (): number => {
    const pages = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${product.pid}/status`, 'utf8'))?.[1];
    return Number(pages) * 1024;
  };

  /** The lowest of the readings of two seconds, because the garbage of the moment is no need. */
  const lowestInMemory = async (): Promise<number> => {
    let lowest = bytesInMemory();
    for (let reading = 0; reading < 8; reading += 1) {
      await pause(250);
      lowest = Math.min(lowest, bytesInMemory());
    }
    return lowest;
  };

  /** Opens a reply without reading it. */
  const open = (prompt: string): Promise<IncomingMessage> =>
    new Promise((done, fail) => {
      const outgoing = request(`${product.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      });
      outgoing.once('response', done);
      outgoing.once('error', fail);
      outgoing.end(
        JSON.stringify({ model: MODELS.openai, stream: true, messages: [{ role: 'user', content: prompt }] }),
      );
    });

  it('pause the upstream instead of filling memory, and lose nothing', async () => {
    const words = 150_000;
    const reply = await open(`three plain words [[tokens=${words}]]`);
    const sent = (): number => upstream.journal()[0]?.wordsSent ?? 0;
    let before = -1;
    await readUntil(
      async () => {
        before = sent();
        await pause(500);
        return sent();
      },
      (now) => now === before,
    );
    expect(sent()).toBeGreaterThan(0);
    expect(sent()).toBeLessThan(words / 2);
    let text = '';
    reply.setEncoding('utf8');
    for await (const part of reply) text += part as string;
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(text).toContain(`w${words}"`);
  }, 60_000);

  it('that never read again are dropped without leaks', async () => {
    upstream.reset();
    const reply = await open('three plain words [[tokens=150000]]');
    await eventually('the upstream sends', () => (upstream.journal()[0]?.wordsSent ?? 0) > 0);
    reply.destroy();
    await eventually('the upstream sees the relay leave', () => upstream.journal()[0]?.clientAborted, 3000);
    const rows = await readUntil(
      () => logRows(product.site),
      (all) => all.some(({ other }) => other.outcome === 'client_abort'),
    );
    expect(rows.filter(({ other }) => other.outcome === 'client_abort')).toHaveLength(1);
  });

  (process.platform === 'linux' ? it : it.skip)(
    `by the hundreds need little memory, and no more as time passes`,
    async () => {
      const replies = await Promise.all(
        Array.from({ length: STREAMS }, () =>
          ask(product.url, {
            dialect: 'openai',
            key,
            isStream: true,
            prompt: 'three plain words [[tokens=15 tps=1]]',
          }),
        ),
      );
      const answers = replies.map((reply) => read(reply, 'openai'));
      await pause(3000);
      const early = await lowestInMemory();
      await pause(4000);
      const late = await lowestInMemory();
      expect((late - early) / MB).toBeLessThan(60);
      const ends = (await Promise.all(answers)).map(({ end }) => end);
      expect(ends).toEqual(Array.from({ length: STREAMS }, () => 'done'));
    },
    120_000,
  );
});

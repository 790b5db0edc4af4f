import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { listen, type Logger } from '@tollgate/chassis';
import type { UsageCounter } from './usage-counter.js';
import { Abandonment } from './abandonment.js';
import { noUsage } from '../call/outcome.js';
import type { Settlement } from './settlement.js';
import type { Try } from '../upstream/try.js';

const prompt = { ...noUsage, inputTokens: 7 };

function scene(policy: string, isFull = false) {
  const records: unknown[] = [];
  const settlement = {
    open: (_call: unknown, _granted: unknown, _course: unknown, counted: object) => {
      if (isFull) return Promise.reject(new Error('disk full'));
      records.push(['open', counted]);
      return Promise.resolve();
    },
    undelivered: (_call: unknown, _granted: unknown, _course: unknown, error: object) => {
      records.push(['undelivered', error]);
      return Promise.resolve();
    },
    closeDelivered: (_call: unknown, _granted: unknown, _course: unknown, ending: object) => {
      records.push(['close', ending]);
      return Promise.resolve();
    },
  };
  const usage = { countPrompt: () => Promise.resolve(prompt) };
  const logger = { warn: () => undefined };
  const abandonment = new Abandonment(
    settlement as unknown as Settlement,
    usage as unknown as UsageCounter,
    logger as unknown as Logger,
  );
  const current = {
    call: { requestId: 'r', response: {} },
    channel: { id: 1, type: 1 },
    target: { model: 'm' },
    request: {},
    earlier: [],
    departure: abandonment.departure({ abort_policy: policy }),
    elapsed: () => 1,
  } as unknown as Try;
  return { records, abandonment, current };
}

const estimated = { usage: prompt, usageSource: 'estimated' };

describe('Abandonment', () => {
  let server: Server;
  beforeEach(() => {
    server = createServer();
  });

  it.each(['stop', 'drain'])(
    'has the prompt on record before the end is worked out, so that our death loses nothing: %s',
    async (policy) => {
      const { records, abandonment, current } = scene(policy);
      await abandonment.open(current);
      expect(records).toEqual([['open', estimated]]);
      await abandonment.close(current, 0);
      expect(records[1]).toEqual(['close', { ...estimated, outcome: 'client_abort', abortPolicy: policy }]);
    },
  );

  it('records the end even when the first record could not be written', async () => {
    const { records, abandonment, current } = scene('stop', true);
    await abandonment.open(current);
    await abandonment.close(current, 0);
    expect(records).toHaveLength(1);
  });

  it('never rejects before the end', async () => {
    const { abandonment, current } = scene('drain');
    // An attempt without a channel, so that building its route throws.
    await expect(
      abandonment.open({ ...current, granted: undefined, earlier: undefined } as unknown as Try),
    ).resolves.toBe(undefined);
  });

  it.each(['stop', 'drain', 'reported'])(
    "charges nothing for what the relay's own stop cut off: %s",
    async (policy) => {
      const { records, abandonment, current } = scene(policy);
      const listener = await listen(
        { getHttpServer: () => server } as unknown as NestFastifyApplication,
        '127.0.0.1',
        0,
      );
      const asked = once(server, 'request') as Promise<[unknown, ServerResponse]>;
      fetch(`http://127.0.0.1:${listener.port}/`).catch(() => undefined);
      const [, response] = await asked;
      expect(await listener.drain(0)).toBe(1);
      const cut = { ...current, call: { ...current.call, response } };
      await abandonment.open(cut);
      await abandonment.close(cut, 0);
      expect(records).toEqual([['undelivered', expect.objectContaining({ status: 503, code: 'relay_stopped' })]]);
    },
  );

  it("books only what the upstream reported, where the channel's policy says so", async () => {
    const { records, abandonment, current } = scene('reported');
    await abandonment.open(current);
    await abandonment.close(current, 0);
    expect(records).toEqual([
      ['close', { usage: noUsage, usageSource: 'upstream', outcome: 'client_abort', abortPolicy: 'reported' }],
    ]);
  });
});

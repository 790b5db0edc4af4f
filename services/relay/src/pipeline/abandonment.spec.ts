import { describe, expect, it } from '@jest/globals';
import type { Logger } from '@tollgate/platform';
import type { UsageCounter } from '../usage/usage-counter.js';
import { Abandonment } from './abandonment.js';
import { noUsage } from './outcome.js';
import type { Settlement } from './settlement.js';
import type { Try } from './try.js';

const prompt = { ...noUsage, inputTokens: 7 };

function scene(policy: string, isFull = false) {
  const records: unknown[] = [];
  const settlement = {
    open: (_call: unknown, _granted: unknown, _course: unknown, counted: object) => {
      if (isFull) return Promise.reject(new Error('disk full'));
      records.push(['open', counted]);
      return Promise.resolve();
    },
    closeDelivered: (_call: unknown, _granted: unknown, _course: unknown, ending: object) => {
      records.push(['close', ending]);
      return Promise.resolve();
    },
  };
  const usage = { sketchPrompt: () => prompt, countPrompt: () => Promise.resolve(prompt) };
  const logger = { warn: () => undefined };
  const abandonment = new Abandonment(
    settlement as unknown as Settlement,
    usage as unknown as UsageCounter,
    logger as unknown as Logger,
  );
  const current = {
    call: { requestId: 'r' },
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

  it('records the end even when nothing could be written before it', async () => {
    const { records, abandonment, current } = scene('stop', true);
    await abandonment.open(current);
    await abandonment.close(current, 0);
    expect(records).toHaveLength(1);
  });

  it('never rejects before the end, because nobody waits for it yet', async () => {
    const { abandonment, current } = scene('drain');
    // A try that no course can be made of.
    await expect(
      abandonment.open({ ...current, granted: undefined, earlier: undefined } as unknown as Try),
    ).resolves.toBe(undefined);
  });

  it('books nothing that the upstream did not report, where the channel says so', async () => {
    const { records, abandonment, current } = scene('reported');
    await abandonment.open(current);
    await abandonment.close(current, 0);
    expect(records).toEqual([
      ['close', { usage: noUsage, usageSource: 'upstream', outcome: 'client_abort', abortPolicy: 'reported' }],
    ]);
  });
});

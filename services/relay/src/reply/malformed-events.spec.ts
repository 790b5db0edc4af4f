import { describe, expect, it } from '@jest/globals';
import { type Logger, Metrics } from '@tollgate/chassis';
import type { ReplyStream } from '@tollgate/providers';
import type { Try } from '../upstream/try.js';
import { MalformedEvents } from './malformed-events.js';

const current = { channel: { id: 7 }, call: { requestId: 'r1' } } as Try;
const streamWith = (malformedEvents: number): ReplyStream => ({ malformedEvents }) as ReplyStream;

function scene() {
  const warnings: unknown[] = [];
  const logger = { warn: (_: string, facts: unknown) => void warnings.push(facts) } as unknown as Logger;
  const metrics = new Metrics('relay');
  const count = async (): Promise<string | undefined> =>
    (await metrics.registry.metrics()).split('\n').find((line) => line.startsWith('tollgate_relay_malformed_events'));
  return { reports: new MalformedEvents(logger, metrics), warnings, count };
}

describe('MalformedEvents', () => {
  it('warns once for each stream that had any, and counts them by channel', async () => {
    const { reports, warnings, count } = scene();
    reports.report(current, streamWith(2));
    reports.report(current, streamWith(1));
    expect(warnings).toEqual([
      { channelId: 7, requestId: 'r1', malformedEvents: 2 },
      { channelId: 7, requestId: 'r1', malformedEvents: 1 },
    ]);
    expect(await count()).toBe('tollgate_relay_malformed_events_total{channel="7",service="relay"} 3');
  });

  it('says nothing of a stream without any', async () => {
    const { reports, warnings, count } = scene();
    reports.report(current, streamWith(0));
    expect([warnings, await count()]).toEqual([[], undefined]);
  });
});

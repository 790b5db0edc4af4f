import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { listChannelHours, routes } from '@tollgate/contracts';
import { type ServiceHarness, startServices } from '@tollgate/testing';
import { Answers, defineService, InternalClient, Route, currentRequestId, currentTraceparent } from '@tollgate/chassis';

const seen: (string | undefined)[] = [];
const traces: (string | undefined)[] = [];

@Controller()
class Asked {
  @Answers(listChannelHours)
  hours(): { hours: [] } {
    seen.push(currentRequestId());
    traces.push(currentTraceparent());
    return { hours: [] };
  }
}

@Controller()
class Asking {
  constructor(private readonly internal: InternalClient) {}

  @Route(routes.listModelsByType)
  async ask(): Promise<void> {
    await this.internal.call(listChannelHours, { from: 0, to: 1 });
  }
}

@Module({ controllers: [Asked] })
class AskedModule {}
@Module({ controllers: [Asking] })
class AskingModule {}

describe('the id of a request', () => {
  let harness: ServiceHarness;
  beforeAll(async () => {
    harness = await startServices([
      defineService({ name: 'logging', module: AskedModule }),
      defineService({ name: 'channel', module: AskingModule }),
    ]);
  }, 60_000);
  afterAll(() => harness.close());

  it('is the same in the service that another one asks', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => harness.request('GET', '/api/models', { as: { id: 7 } })));
    const ids = replies.map(({ headers }) => headers['x-oneapi-request-id']);
    expect(new Set(ids).size).toBe(3);
    expect([...seen].sort()).toEqual([...ids].sort());
  });

  it('travels with the trace of whoever sent it', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    for (const sent of [traceparent, 'no trace'])
      await harness.request('GET', '/api/models', { as: { id: 7 }, headers: { traceparent: sent } });
    expect(traces.slice(-2)).toEqual([traceparent, undefined]);
  });

  it('is never taken from a client', async () => {
    const reply = await harness.request('GET', '/api/models', {
      as: { id: 7 },
      headers: { 'x-oneapi-request-id': 'forged' },
    });
    expect(reply.headers['x-oneapi-request-id']).not.toBe('forged');
    expect(seen).not.toContain('forged');
  });
});

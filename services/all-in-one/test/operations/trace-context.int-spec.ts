import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FakeUpstream, readUntil, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { Client } from 'pg';
import { allServices } from '../../src/index.js';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('a request with a trace context', () => {
  let upstream: FakeUpstream;
  let testBed: TestBed;
  let key: string;
  beforeAll(async () => {
    upstream = await startFakeUpstream({ behaviour: { tokens: 5 } });
    testBed = await startTestBed(allServices);
    await testBed.channel({ name: 'traced', base_url: upstream.url, models: 'gpt-4o' });
    key = await testBed.token(testBed.root);
  }, 60_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });

  interface Event {
    id: string;
    traceparent?: string;
  }
  const events = async (topic: string): Promise<Event[]> => {
    const client = new Client({ connectionString: testBed.host.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ value: string }>('select value from event_log.record where topic = $1', [
        topic,
      ]);
      return rows.map(({ value }) => JSON.parse(value) as Event);
    } finally {
      await client.end();
    }
  };
  const chat = async (stream: boolean, traceparent: string): Promise<string> => {
    const reply = await fetch(`${testBed.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'hello' }] }),
    });
    await reply.text();
    expect(reply.status).toBe(200);
    return reply.headers.get('x-oneapi-request-id') ?? '';
  };
  const eventOf = async (id: string): Promise<Event | undefined> => {
    const find = async (): Promise<Event | undefined> =>
      (await events('request-consumed')).find((event) => event.id === id);
    return readUntil(find, (event) => event !== undefined, 10_000);
  };

  it.each([false, true])('is traced to the upstream and in its event (stream: %s)', async (stream) => {
    const id = await chat(stream, TRACEPARENT);
    expect(upstream.journal().at(-1)?.headers['traceparent']).toBe(TRACEPARENT);
    expect((await eventOf(id))?.traceparent).toBe(TRACEPARENT);
  });

  it('ignores an invalid trace context', async () => {
    const id = await chat(false, 'no trace');
    expect(upstream.journal().at(-1)?.headers['traceparent']).toBeUndefined();
    expect(await eventOf(id)).not.toHaveProperty('traceparent');
  });

  it('has its trace in the events of its change', async () => {
    const { body } = await testBed.root.call(
      'POST',
      '/api/token/',
      { name: 'traced', remain_quota: 0, expired_time: -1, unlimited_quota: true },
      { traceparent: TRACEPARENT },
    );
    expect(body.success).toBe(true);
    const changed = await readUntil(
      () => events('token-changed'),
      (all) => all.some(({ traceparent }) => traceparent === TRACEPARENT),
      10_000,
    );
    expect(changed.filter(({ traceparent }) => traceparent === TRACEPARENT)).toHaveLength(1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FakeUpstream, readUntil, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { allServices } from '../../src/index.js';

interface Exported {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  links?: { traceId: string; spanId: string }[];
}

interface ExportedLine {
  traceId: string;
  body: { stringValue: string };
  attributes: Exported['attributes'];
}

interface Collector {
  url: string;
  spans: Exported[];
  lines: ExportedLine[];
  names: string[];
  stop(): Promise<void>;
}

/** A collector that receives OTLP over HTTP as JSON. */
async function startCollector(): Promise<Collector> {
  const spans: Exported[] = [];
  const lines: ExportedLine[] = [];
  const names: string[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { resourceSpans = [], resourceLogs = [] } = JSON.parse(Buffer.concat(parts).toString()) as {
        resourceSpans?: { resource: Pick<Exported, 'attributes'>; scopeSpans: { spans: Exported[] }[] }[];
        resourceLogs?: { scopeLogs: { logRecords: ExportedLine[] }[] }[];
      };
      for (const { scopeLogs } of resourceLogs) lines.push(...scopeLogs.flatMap((scope) => scope.logRecords));
      for (const { resource, scopeSpans } of resourceSpans) {
        names.push(resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '');
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      response.end('{}');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    lines,
    names,
    stop: () => new Promise((done) => server.close(() => done())),
  };
}

/** The ids of all bookings, as soon as there are any. */
async function untilBooked(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const query = `select "id"::text as "id" from "billing"."posting" where "code" = 'consumption'`;
    return await readUntil(
      async () => (await client.query<{ id: string }>(query)).rows.map(({ id }) => id),
      ({ length }) => length > 0,
    );
  } finally {
    await client.end();
  }
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';

describe('traces by OpenTelemetry', () => {
  let collector: Collector;
  let bookedAs: string[];
  let upstream: FakeUpstream;
  let testBed: TestBed | undefined;
  let sent: unknown;
  let requestId: string;
  beforeAll(async () => {
    collector = await startCollector();
    upstream = await startFakeUpstream({ behaviour: { tokens: 5 } });
    testBed = await startTestBed(allServices, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      LOG_REQUESTS: 'on',
      LOG_LEVEL: 'info',
    });
    await testBed.channel({ name: 'traced', base_url: upstream.url, models: 'gpt-4o' });
    const key = await testBed.token(testBed.root);
    const reply = await fetch(`${testBed.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        traceparent: `00-${TRACE}-${CLIENT_SPAN}-01`,
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(reply.status).toBe(200);
    requestId = reply.headers.get('x-oneapi-request-id') ?? '';
    sent = upstream.journal().at(-1)?.headers['traceparent'];
    bookedAs = await untilBooked(testBed.host.databaseUrl);
    // Bookings are written after the reply; a clean stop waits for them and sends every span.
    await testBed.close();
    testBed = undefined;
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
    await collector?.stop();
  });

  const ofTrace = (): Exported[] => collector.spans.filter(({ traceId }) => traceId === TRACE);
  const named = (name: string): Exported => {
    const found = ofTrace().find((span) => span.name === name);
    if (!found)
      throw new Error(
        `no span "${name}" among ${ofTrace()
          .map((span) => span.name)
          .join(', ')}`,
      );
    return found;
  };
  const attribute = (span: Exported, key: string): unknown =>
    span.attributes.find((entry) => entry.key === key)?.value.stringValue;

  it('continue the trace of the client, with the id of the request', () => {
    const [first] = ofTrace().filter(({ parentSpanId }) => parentSpanId === CLIENT_SPAN);
    expect(first && attribute(first, 'tollgate.request_id')).toBe(requestId);
    expect(new Set(collector.names)).toEqual(new Set(['tollgate']));
  });

  it('include the call to the upstream', () => {
    const span = named('chat gpt-4o');
    expect(sent).toBe(`00-${TRACE}-${span.spanId}-01`);
    expect(attribute(span, 'gen_ai.request.model')).toBe('gpt-4o');
    expect(attribute(span, 'gen_ai.operation.name')).toBe('chat');
    expect(attribute(span, 'gen_ai.provider.name')).toBe('openai');
    const keys = ofTrace().flatMap(({ attributes }) => attributes.map(({ key }) => key));
    expect(keys).toEqual(expect.arrayContaining(['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens']));
  });

  it('include calls to other services and the consumers of events', () => {
    expect(ofTrace().some(({ name }) => name.startsWith('ask '))).toBe(true);
    const handled = collector.spans.filter(({ name }) => name === 'handle request-consumed');
    expect(handled.some(({ links }) => links?.some(({ traceId }) => traceId === TRACE))).toBe(true);
  });

  it('are found from a log line, and the journal row from them, by one id', () => {
    const line = collector.lines.find(({ attributes }) =>
      attributes.some(({ key, value }) => key === 'tollgate.request_id' && value.stringValue === requestId),
    );
    expect(line?.traceId).toBe(TRACE);
    const [first] = ofTrace().filter(({ parentSpanId }) => parentSpanId === CLIENT_SPAN);
    expect(first && attribute(first, 'tollgate.request_id')).toBe(requestId);
    expect(bookedAs).toEqual([requestId]);
  });

  it('contain no secret', () => {
    expect(JSON.stringify([collector.spans, collector.lines])).not.toMatch(/sk-|password|Bearer/);
  });
});

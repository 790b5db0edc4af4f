import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FakeUpstream, type Stand, startFakeUpstream, startStand } from '@tollgate/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { allServices } from '../src/index.js';

interface Exported {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  links?: { traceId: string; spanId: string }[];
}

/** What a collector receives: OTLP over HTTP as JSON. */
async function startCollector(): Promise<{ url: string; spans: Exported[]; names: string[]; stop(): Promise<void> }> {
  const spans: Exported[] = [];
  const names: string[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString()) as {
        resourceSpans: { resource: Pick<Exported, 'attributes'>; scopeSpans: { spans: Exported[] }[] }[];
      };
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
    names,
    stop: () => new Promise((done) => server.close(() => done())),
  };
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';

describe('traces by OpenTelemetry', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let upstream: FakeUpstream;
  let stand: Stand | undefined;
  let sent: unknown;
  let requestId: string;
  beforeAll(async () => {
    collector = await startCollector();
    upstream = await startFakeUpstream({ behaviour: { tokens: 5 } });
    stand = await startStand(allServices, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await stand.channel({ name: 'traced', base_url: upstream.url, models: 'gpt-4o' });
    const key = await stand.token(stand.root);
    const reply = await fetch(`${stand.url}/v1/chat/completions`, {
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
    // The books are kept after the answer; a clean stop waits for them and sends every span.
    await stand.close();
    stand = undefined;
  }, 120_000);
  afterAll(async () => {
    await stand?.close();
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

  it('lead to the upstream', () => {
    const span = named('call upstream');
    expect(sent).toBe(`00-${TRACE}-${span.spanId}-01`);
    expect(attribute(span, 'gen_ai.request.model')).toBe('gpt-4o');
  });

  it('reach what asked other services, and what handled the events', () => {
    expect(ofTrace().some(({ name }) => name.startsWith('ask '))).toBe(true);
    const handled = collector.spans.filter(({ name }) => name === 'handle request-consumed');
    expect(handled.some(({ links }) => links?.some(({ traceId }) => traceId === TRACE))).toBe(true);
  });

  it('hold no secret', () => {
    expect(JSON.stringify(collector.spans)).not.toMatch(/sk-|password|Bearer/);
  });
});

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../eventually.js';
import { abortDelay, type HostileUpstream, scenarios, startHostileUpstream, words } from './index.js';
import type { Scenario } from './scenarios.js';

describe('the hostile upstream', () => {
  let hostile: HostileUpstream;
  beforeAll(async () => {
    hostile = await startHostileUpstream();
  });
  afterAll(() => hostile.close());

  const call = (url: string, body: object | string, path = '/v1/chat/completions', signal?: AbortSignal) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: 'Bearer sk-upstream' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  const textOf = async (scenario: Scenario, body: object = {}, path?: string): Promise<string> =>
    (await call(hostile.endpoint(scenario).url, body, path)).text();

  it('answers correctly in both dialects', async () => {
    const claim = scenarios.claim(3, 2);
    const chat = JSON.parse(await textOf(claim, { model: 'm' })) as object;
    expect(chat).toMatchObject({
      choices: [{ message: { content: 'w1 w2' } }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
    const message = JSON.parse(await textOf(claim, { model: 'm' }, '/v1/messages')) as object;
    expect(message).toMatchObject({ content: [{ text: 'w1 w2' }], usage: { input_tokens: 3, output_tokens: 2 } });
    const stream = await textOf(claim, { stream: true });
    expect(stream).toMatch(/"finish_reason":"stop"[\s\S]*"usage":\{"prompt_tokens":3[\s\S]*data: \[DONE\]\n\n$/);
    const events = await textOf(claim, { stream: true }, '/v1/messages');
    expect(events.match(/"usage":/g)).toHaveLength(2);
    expect(events).toMatch(/event: message_stop\ndata: [^\n]*\n\n$/);
  });

  it('states numbers that no serialiser would write', async () => {
    expect(await textOf(scenarios.claim(3, '18446744073709551615'))).toContain(
      '"completion_tokens":18446744073709551615',
    );
    expect(await textOf(scenarios.claim('"3"', '1e400'), { stream: true })).toContain(
      '"prompt_tokens":"3","completion_tokens":1e400',
    );
    expect((await textOf(scenarios.contradict([1, 1], [9, 9]), { stream: true })).match(/"usage":/g)).toHaveLength(2);
  });

  it('records the bytes it received, and the headers with the key', async () => {
    const endpoint = hostile.endpoint(scenarios.speak());
    const body = '{"model":"a","Model":"b" }';
    await (await call(endpoint.url, body)).text();
    const [entry] = endpoint.seen();
    expect([entry?.body.toString(), entry?.headers.authorization, entry?.isFinished]).toEqual([
      body,
      'Bearer sk-upstream',
      true,
    ]);
  });

  it('notices when the client leaves, and keeps endpoints separate', async () => {
    const endpoint = hostile.endpoint(scenarios.fallSilent({ afterWords: 1 }));
    const other = hostile.endpoint(scenarios.speak());
    const leaving = new AbortController();
    const reply = await call(endpoint.url, { stream: true }, undefined, leaving.signal);
    const reader = reply.body?.getReader();
    await reader?.read();
    leaving.abort();
    await reader?.read().catch(() => undefined);
    await eventually('the upstream notices', () => endpoint.seen()[0]?.abortedAt !== undefined);
    const [entry] = endpoint.seen();
    expect(entry && abortDelay(entry)).toBeGreaterThanOrEqual(0);
    expect(entry?.isFinished).toBe(false);
    expect(other.seen()).toEqual([]);
  });

  it('sends huge replies up to its own bound', async () => {
    expect((await textOf(scenarios.sprawl(300_000))).length).toBeGreaterThan(300_000);
    const endpoint = hostile.endpoint(scenarios.bomb(1_000_000));
    const outgoing = request(`${endpoint.url}/v1/chat/completions`, { method: 'POST' }).end('{}');
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
    const packed = Buffer.concat((await reply.toArray()) as Buffer[]);
    expect(packed.length).toBeLessThan(5_000);
    expect(gunzipSync(packed).length).toBeGreaterThanOrEqual(1_000_000);
  });

  it('cuts replies, and reveals secrets in errors', async () => {
    await expect(textOf(scenarios.cutAt(0, 'reset'))).rejects.toThrow();
    await expect(textOf(scenarios.cutAt(20))).rejects.toThrow();
    const stream = await textOf(scenarios.failInside(2, scenarios.MINIMAX_FAULT), { stream: true });
    expect(stream).toContain('"content":" w2"');
    expect(stream.endsWith(scenarios.MINIMAX_FAULT)).toBe(true);
    const error = await textOf(scenarios.tellTale(400), { messages: [{ content: 'my words' }] });
    expect(error).toMatch(/sk-upstream.*127\.0\.0\.1.*my words/);
    expect((await call(hostile.endpoint(scenarios.redirect('http://127.0.0.1:9/')).url, {})).status).toBe(307);
    expect(words(2)).toEqual(['w1', ' w2']);
  });
});

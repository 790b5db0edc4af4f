import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readEnv, OutboundClient, parseAllowance } from '@tollgate/chassis';
import { DEMONSTRATION_URL } from '@tollgate/contracts/demonstration';
import { type DemonstrationProvider, startDemonstrationProvider } from './demonstration-provider.js';
import { isDemonstrationOn } from './is-on.js';

const messages = [{ role: 'user', content: 'two words' }];

describe('the demonstration provider', () => {
  let provider: DemonstrationProvider;
  let outbound: OutboundClient;
  beforeAll(async () => {
    provider = await startDemonstrationProvider();
    outbound = new OutboundClient(parseAllowance(''), provider.port);
  });
  afterAll(async () => {
    await outbound.cut();
    await provider.close();
  });
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const request = {
      method: 'POST',
      url: `${DEMONSTRATION_URL}${path}`,
      headers,
      body: JSON.stringify(body),
    } as const;
    const reply = await outbound.send({ kind: 'channel', ...request });
    return { status: reply.status, text: reply.body.toString('utf8') };
  };

  it('is reached by its name, answers what it is and counts a token a word', async () => {
    const { status, text } = await post('/v1/chat/completions', { model: 'gpt-4o-mini', messages, max_tokens: 7 });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: 'This answer comes from the demonstration provider' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 2, completion_tokens: 7, total_tokens: 9 },
    });
  });

  it('streams the same, with its usage where that is wanted', async () => {
    const asked = { model: 'gpt-4o-mini', messages, stream: true, stream_options: { include_usage: true } };
    const { text } = await post('/v1/chat/completions', asked);
    const chunks = text.split('\n\n').filter((frame) => frame !== '' && !frame.includes('[DONE]'));
    const parsed = chunks.map((frame) => JSON.parse(frame.slice(6)) as { choices: { delta: { content?: string } }[] });
    const words = parsed.flatMap(({ choices }) => choices[0]?.delta.content ?? []);
    expect(words.join('')).toContain('You asked: two words');
    expect(parsed.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: words.length - 1 } });
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('embeds, lists its models, and refuses what it does not know', async () => {
    const { text } = await post('/v1/embeddings', { model: 'text-embedding-3-small', input: ['a', 'b'] });
    expect(JSON.parse(text)).toMatchObject({ data: [{ index: 0 }, { index: 1 }], usage: { prompt_tokens: 2 } });
    const models = await outbound.send({ kind: 'channel', url: `${DEMONSTRATION_URL}/v1/models` });
    expect(models.body.toString('utf8')).toContain('gpt-4o-mini');
    expect((await post('/v1/audio/speech', {})).status).toBe(404);
    expect((await post('/v1/chat/completions', { messages: 'no list' })).status).toBe(400);
  });

  it('is there for channels only, and for nobody where it is off', async () => {
    const url = `${DEMONSTRATION_URL}/v1/models`;
    for (const kind of ['user', 'admin'] as const) await expect(outbound.send({ kind, url })).rejects.toThrow();
    await expect(outbound.check(DEMONSTRATION_URL, 'user')).rejects.toThrow();
    await expect(outbound.check(`http://127.0.0.1:${provider.port}`, 'admin')).rejects.toThrow(
      'TOLLGATE_OUTBOUND_ALLOW',
    );
    await expect(outbound.check(DEMONSTRATION_URL, 'channel')).resolves.toBeUndefined();
    const off = new OutboundClient(parseAllowance(''));
    expect([outbound.hasDemonstration, off.hasDemonstration]).toEqual([true, false]);
    await expect(off.send({ kind: 'channel', url })).rejects.toThrow();
    await off.cut();
  });

  it.each([
    [{}, 'test', true],
    [{}, 'production', false],
    [{ REDIS_URL: 'redis://r' }, 'test', false],
    [{ KAFKA_BROKERS: 'k:1' }, 'test', false],
    [{ TOLLGATE_DEMONSTRATION: 'on', KAFKA_BROKERS: 'k:1' }, 'production', true],
    [{ TOLLGATE_DEMONSTRATION: 'off' }, 'test', false],
  ])('with %p and NODE_ENV %s is on: %p', (environment, nodeEnv, isOn) => {
    expect(isDemonstrationOn(readEnv(environment), nodeEnv)).toBe(isOn);
  });
});

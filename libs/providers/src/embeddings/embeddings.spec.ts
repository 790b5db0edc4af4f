import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, replyContext } from '../../test/factories.js';
import { type JsonObject, RequestRejected } from '../adapter.js';
import { findProvider } from '../registry.js';

const adapterOf = (type: number) => {
  const adapter = findProvider(type)?.embeddings;
  if (!adapter) throw new Error(`type ${type} embeds nothing`);
  return adapter;
};
const asked = { model: 'alias', input: ['one', 'two'], dimensions: 2 };
const sent = (type: number, json: JsonObject = asked) => {
  const { url, body } = adapterOf(type).toUpstream(
    clientRequest(json),
    channelTarget({ channelType: type, model: 'em' }),
  );
  return { url, json: JSON.parse(String(body)) as JsonObject };
};
const read = (type: number, json: JsonObject, more: JsonObject = {}) => {
  const context = replyContext({ model: 'alias', request: { ...asked, ...more } });
  const reply = adapterOf(type).fromReply(Buffer.from(JSON.stringify(json)), context);
  return { ...reply, json: JSON.parse(String(reply.body)) as JsonObject };
};

const ollama = {
  model: 'em',
  embeddings: [
    [1, 0.5],
    [0, -1],
  ],
  prompt_eval_count: 6,
};
const ali = {
  output: {
    embeddings: [
      { text_index: 1, embedding: [0, -1] },
      { text_index: 0, embedding: [1, 0.5] },
    ],
  },
  usage: { total_tokens: 6 },
  request_id: 'q',
};

describe('texts to be embedded', () => {
  it('go to Ollama and to DashScope in their own words', () => {
    expect(sent(4)).toEqual({
      url: 'http://localhost:11434/api/embed',
      json: { model: 'em', input: ['one', 'two'], dimensions: 2 },
    });
    expect(sent(4, { input: 'one' }).json).toEqual({ model: 'em', input: ['one'] });
    expect(sent(17)).toEqual({
      url: 'https://dashscope.aliyuncs.com/api/v1/services/embeddings/text-embedding/text-embedding',
      json: { model: 'em', input: { texts: ['one', 'two'] }, parameters: { dimension: 2 } },
    });
  });

  it.each([4, 17])('are no tokens for type %i', (type) => {
    expect(() => sent(type, { input: [[1, 2]] })).toThrow(RequestRejected);
  });
});

describe('vectors', () => {
  it.each([
    [4, ollama],
    [17, ali],
  ])('of type %i are as many as there were texts, in their order', (type, json) => {
    const reply = read(type, json);
    expect(reply.json).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [1, 0.5] },
        { object: 'embedding', index: 1, embedding: [0, -1] },
      ],
      model: 'alias',
      usage: { prompt_tokens: 6, total_tokens: 6 },
    });
    expect(reply.usage).toMatchObject({ inputTokens: 6, outputTokens: 0 });
  });

  it('come as base64 where that is asked for', () => {
    const [first] = read(4, ollama, { encoding_format: 'base64' }).json.data as JsonObject[];
    const bytes = Buffer.from(String(first?.embedding), 'base64');
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([1, 0.5]);
  });

  it('state what is booked where the upstream counts nothing', () => {
    const { prompt_eval_count: _, ...uncounted } = ollama;
    const reply = read(4, uncounted);
    expect([reply.usage, reply.json.usage]).toEqual([undefined, undefined]);
    const booked = {
      semantics: 'openai' as const,
      inputTokens: 3,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
    };
    expect(JSON.parse(String(reply.withUsage?.(booked)))).toMatchObject({ usage: { prompt_tokens: 3 } });
  });

  it.each<[number, JsonObject]>([
    [4, { error: 'model "em" not found' }],
    [17, { code: 'InvalidParameter', message: 'too long', request_id: 'q' }],
    [17, {}],
  ])('of type %i are missing in %j', (type, json) => {
    expect(read(type, json).fault).toBeDefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { channelTarget, clientRequest, dataOf, fixture, play, replyContext } from '../../test/factories.js';
import type { ChannelTarget, JsonObject, ReplyContext } from '../adapter.js';
import { findProvider } from '../registry.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';

const { chat } = openAiCompatible({ defaultBaseUrl: 'https://api.example.com', streamUsage: 'ask' });
const recorded = (name: string): Buffer => fixture(import.meta.dirname, name);

const bodyFor = (json: JsonObject, target: Partial<ChannelTarget> = {}, type = 1): JsonObject => {
  const request = findProvider(type)?.chat?.toUpstream(
    clientRequest(json),
    channelTarget({ channelType: type, ...target }),
  );
  return JSON.parse(request?.body?.toString() ?? '{}') as JsonObject;
};

const messages = [{ role: 'user', content: 'hi' }];

describe('a request to an upstream of the same dialect', () => {
  it("is the client's own bytes when nothing has to change", () => {
    const text = '{ "model":"gpt-4o-mini", "messages":[], "temperature":0, "x_new":1.0 }';
    const request = clientRequest(JSON.parse(text) as JsonObject, { text });
    const sent = chat.toUpstream(request, channelTarget());

    expect(sent.body).toBe(request.bytes);
    expect(sent).toMatchObject({ method: 'POST', url: 'https://api.example.com/v1/chat/completions' });
    expect(sent.headers).toMatchObject({ authorization: 'Bearer sk-upstream', 'content-type': 'application/json' });
  });

  it('keeps unknown members and explicit zeros when the model is mapped', () => {
    const text = '{"model":"my-name","messages":[],"temperature":0,"top_p":0.0,"x_new":{"deep":[0]}}';
    const sent = chat.toUpstream(clientRequest(JSON.parse(text) as JsonObject, { text }), channelTarget());

    expect(sent.body?.toString()).toBe(text.replace('my-name', 'gpt-4o-mini'));
  });

  it('asks for usage in streams, and only there', () => {
    const model = 'gpt-4o-mini';
    expect(bodyFor({ model, messages, stream: true }).stream_options).toEqual({ include_usage: true });
    expect(bodyFor({ model, messages, stream: true, stream_options: { x: 1 } }).stream_options).toEqual({
      x: 1,
      include_usage: true,
    });
    expect(bodyFor({ model, messages, stream_options: { include_usage: true } })).not.toHaveProperty('stream_options');
    expect(
      bodyFor({ model, messages, stream: true, stream_options: { include_usage: true } }, {}, 42),
    ).not.toHaveProperty('stream_options');
    expect(bodyFor({ model, messages, stream: true }, {}, 8)).not.toHaveProperty('stream_options');
  });

  it('drops a limit of zero, which stands for none', () => {
    expect(bodyFor({ model: 'm', messages, max_tokens: 0, temperature: 0 }, { model: 'm' })).toEqual({
      model: 'm',
      messages,
      temperature: 0,
    });
  });

  it('gives reasoning models time to think, which say nothing for long', () => {
    const thinks = (model: string): unknown =>
      chat.toUpstream(clientRequest({ model, messages }), channelTarget({ model })).thinksLong;
    expect(['o1', 'o3-mini-high', 'o4-mini', 'gpt-4o', 'omni'].map(thinks)).toEqual([
      true,
      true,
      true,
      undefined,
      undefined,
    ]);
  });

  it('speaks to reasoning models in their words', () => {
    const json = {
      model: 'o3-mini-high',
      messages: [{ role: 'system', content: 's' }, ...messages],
      max_tokens: 50,
      temperature: 1,
    };

    expect(bodyFor(json, { model: 'o3-mini-high' })).toEqual({
      model: 'o3-mini',
      messages: [{ role: 'developer', content: 's' }, ...messages],
      max_completion_tokens: 50,
      reasoning_effort: 'high',
    });
    const preview = bodyFor({ ...json, model: 'o1-preview' }, { model: 'o1-preview' });
    expect(preview.messages).toEqual(json.messages);
    expect(bodyFor({ ...json, max_completion_tokens: 9 }, { model: 'o3-mini' })).toMatchObject({
      max_completion_tokens: 9,
    });
    expect(
      bodyFor(
        { model: 'grok-3-mini-beta-low', messages, max_tokens: 5, temperature: 1 },
        { model: 'grok-3-mini-beta-low' },
        48,
      ),
    ).toEqual({
      model: 'grok-3-mini-beta',
      messages,
      max_completion_tokens: 5,
      temperature: 1,
      reasoning_effort: 'low',
    });
  });

  it('lets the channel override members, but not whether it streams', () => {
    const sent = bodyFor(
      { model: 'm', messages, temperature: 1 },
      { model: 'm', paramOverride: { temperature: 0, stream: true, extra: [1] } },
    );

    expect(sent).toEqual({ model: 'm', messages, temperature: 0, extra: [1] });
  });
});

interface Outcome {
  complete?: boolean;
  usage?: [input: number, cached: number, output: number];
  text?: string;
  malformed?: number;
  fault?: string;
}

const outcomes: [name: string, outcome: Outcome][] = [
  ['text-with-usage', { complete: true, usage: [8, 4, 3], text: 'Grüße 你好' }],
  ['crlf', { complete: true, usage: [8, 4, 3], text: 'Grüße 你好' }],
  ['spaced-json', { complete: true, usage: [12, 0, 3], text: 'Grüße 你好' }],
  ['comments', { complete: true, usage: [12, 0, 3], text: 'Grüße 你好' }],
  ['usage-twice', { complete: true, usage: [12, 0, 3], text: 'Grüße 你好' }],
  ['usage-zero', { complete: true, usage: [0, 0, 0], text: 'Grüße 你好' }],
  ['usage-then-zero', { complete: true, usage: [12, 0, 3], text: 'Grüße 你好' }],
  ['usage-absent', { complete: true, text: 'Grüße 你好' }],
  ['usage-with-finish', { complete: true, usage: [3, 2, 1], text: 'Hi' }],
  ['whole-message-last', { complete: true, text: 'Grüße 你好' }],
  ['whole-message-only', { complete: true, text: 'Grüße 你好' }],
  ['no-terminal-event', { complete: true, usage: [12, 0, 3], text: 'Grüße 你好' }],
  ['huge-line', { complete: true, usage: [2, 0, 90000], text: 'x'.repeat(20_000) }],
  ['reasoning', { complete: true, usage: [4, 0, 9], text: 'Let me thinkDone' }],
  ['parallel-tools', { complete: true, usage: [30, 0, 20], text: 'weather{"city":"Ulm"}time{}' }],
  ['malformed-event', { complete: true, usage: [12, 0, 3], text: 'Grüße 你好', malformed: 1 }],
  ['cut', { complete: false, text: 'Grüße', malformed: 1 }],
  ['error-first', { complete: false, text: '', fault: 'Rate limit reached for *** at https://***' }],
  ['error-midway', { complete: false, text: 'Grüße', fault: 'The server had an error' }],
];

const outcomeOf = (bytes: Buffer, sizes: number[], context: Partial<ReplyContext> = {}) => {
  const stream = chat.openStream(replyContext(context));
  const sent = play(stream, bytes, sizes);
  const usage = stream.usage();
  const outcome = {
    complete: stream.isComplete,
    usage: usage && [usage.inputTokens, usage.cacheReadTokens, usage.outputTokens],
    text: stream.text().text,
    malformed: stream.malformedEvents,
    fault: stream.fault?.message,
  };
  return { sent, outcome };
};

describe('a stream from an upstream of the same dialect', () => {
  it.each(outcomes)('of %s has the outcome fixed for it, whatever the chunking', (name, expected) => {
    const bytes = recorded(`${name}.sse`);
    const whole = outcomeOf(bytes, []);

    expect(whole.outcome).toEqual({ usage: undefined, fault: undefined, malformed: 0, ...expected });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 30 }), (sizes) => {
        expect(outcomeOf(bytes, sizes)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it.each(outcomes)('of %s has the same outcome when it is reformatted', (name, expected) => {
    const { outcome } = outcomeOf(recorded(`${name}.sse`), [], { setting: { force_format: true } });

    expect(outcome).toEqual({ usage: undefined, fault: undefined, malformed: 0, ...expected });
  });

  it.each([
    ['', {}],
    [', reformatted', { setting: { force_format: true } }],
  ])('with several answers is complete when each that began has ended%s', (_, options: Partial<ReplyContext>) => {
    const chunk = (index: number, content: string, finish: string | null = null): string =>
      `data: ${JSON.stringify({ choices: [{ index, delta: { content }, finish_reason: finish }] })}\n\n`;
    const begun = ['a', 'b', 'c'].flatMap((text) => [chunk(0, text), chunk(1, text)]);
    const open = [...begun, chunk(0, '', 'stop'), chunk(1, 'd')].join('');
    const { outcome } = outcomeOf(Buffer.from(open), [], options);
    expect([outcome.complete, outcome.usage]).toEqual([false, undefined]);
    expect(outcomeOf(Buffer.from(open + chunk(1, '', 'stop')), [], options).outcome.complete).toBe(true);
  });

  it('keeps only standard members if the channel requires it, in choices too', () => {
    const context = replyContext({ setting: { force_format: true } });
    const said = { role: 'assistant', content: 'a', vendor: 1 };
    const choice = { index: 0, finish_reason: 'stop', vendor: { deep: 2 } };
    const reply = chat.fromReply(
      Buffer.from(JSON.stringify({ id: 'x', vendor: 0, choices: [{ ...choice, message: said }] })),
      context,
    );
    const whole = JSON.parse(reply.body.toString()) as { choices: unknown[] };
    expect(whole.choices).toEqual([{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }]);
    expect(whole).not.toHaveProperty('vendor');

    const stream = chat.openStream(context);
    const chunk = { id: 'x', vendor: 0, choices: [{ ...choice, delta: said }] };
    const sent = stream.push(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`))?.toString() ?? '';
    expect(sent).toContain('"choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":"stop"}]');
    expect(sent).not.toContain('vendor');
  });

  it('numbers choices and states their finish reason where the upstream does not and the standard is asked for', () => {
    const context = replyContext({ setting: { force_format: true } });
    const sent = (choices: JsonObject[]): string =>
      String(chat.openStream(context).push(Buffer.from(`data: ${JSON.stringify({ id: 'x', choices })}\n\n`)));
    expect(sent([{ delta: { content: 'a' } }, { delta: { content: 'b' }, finish_reason: 'stop' }])).toContain(
      '"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null},{"index":1,"delta":{"content":"b"},"finish_reason":"stop"}]',
    );
    expect(sent([{ index: 3, delta: {} }])).toContain('"choices":[{"index":3,"delta":{},"finish_reason":null}]');
  });

  it('leaves out what is no choice, and empties what should be an object, where the standard is asked for', () => {
    const context = replyContext({ setting: { force_format: true, thinking_to_content: true } });
    const choices = [null, 'x', 7, [], { index: 0, message: 'text', delta: null }];
    const reply = chat.fromReply(Buffer.from(JSON.stringify({ id: 'x', choices })), context);
    expect((JSON.parse(reply.body.toString()) as { choices: unknown }).choices).toEqual([
      { index: 0, message: {}, delta: {}, finish_reason: null },
    ]);
    for (const [told, forced] of [
      [choices, '[{"index":0,"delta":{},"message":{},"finish_reason":null}]'],
      [null, '[]'],
      ['x', '[]'],
    ] as const) {
      const sent = chat.openStream(context).push(Buffer.from(`data: ${JSON.stringify({ choices: told })}\n\n`));
      expect(sent?.toString()).toContain(`"choices":${forced}`);
    }
  });

  it("forwards the upstream's bytes, without the usage chunk unless asked", () => {
    const bytes = recorded('text-with-usage.sse');
    const all = bytes.toString();
    const usageChunk = all.split('\n\n').find((event) => event.includes('"total_tokens"')) ?? '';

    expect(outcomeOf(bytes, [], { includeUsage: true }).sent).toBe(all);
    expect(outcomeOf(bytes, []).sent).toBe(all.replace(`${usageChunk}\n\n`, ''));
  });

  it('holds the terminal event back until the end was recorded', () => {
    const stream = chat.openStream(replyContext());

    expect(stream.push(recorded('text-with-usage.sse'))?.toString()).not.toContain('[DONE]');
    expect(stream.lastFrames().toString()).toBe('data: [DONE]\n\n');
  });

  it('makes up the usage chunk a client asked for and the upstream did not send', () => {
    const stream = chat.openStream(replyContext({ includeUsage: true }));
    stream.push(recorded('usage-absent.sse'));
    const estimate = {
      semantics: 'openai',
      inputTokens: 5,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 2,
    } as const;
    const [chunk] = dataOf(stream.lastFrames(estimate).toString());

    expect(stream.text().text).toBe('Grüße 你好');
    expect(chunk).toMatchObject({
      id: 'chatcmpl-9',
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    });
  });

  it('sends nothing of an error before the first byte, so that another channel can be tried', () => {
    const { sent } = outcomeOf(recorded('error-first.sse'), []);

    expect(sent).toBe('');
  });

  it('keeps a bounded text of a very long stream and counts the rest', () => {
    const stream = chat.openStream(replyContext());
    const event = Buffer.from(`data: {"choices":[{"delta":{"content":"${'y'.repeat(10_000)}"}}]}\n\n`);
    for (let index = 0; index < 150; index += 1) stream.push(event);
    const { text, droppedBytes } = stream.text();

    expect(text).toHaveLength(1024 * 1024);
    expect(text.length + droppedBytes).toBe(1_500_000);
  });

  it('moves reasoning into the content when the channel says so', () => {
    const { sent } = outcomeOf(recorded('reasoning.sse'), [], { setting: { thinking_to_content: true } });
    const deltas = dataOf(sent).map((chunk) => (chunk.choices as { delta: JsonObject }[])[0]?.delta);

    expect(deltas.map((delta) => delta?.content ?? '').join('')).toBe('<think>\nLet me think\n</think>\nDone');
    expect(JSON.stringify(deltas)).not.toContain('reasoning');
  });

  const thinkingAsText = (...choices: JsonObject[]): JsonObject[] => {
    const stream = chat.openStream(replyContext({ setting: { thinking_to_content: true } }));
    const sent = choices.map((choice) =>
      stream.push(Buffer.from(`data: ${JSON.stringify({ choices: [choice] })}\n\n`)),
    );
    return sent
      .flatMap((bytes) => dataOf(bytes?.toString() ?? ''))
      .map((chunk) => (chunk.choices as JsonObject[])[0] ?? {});
  };
  const contents = (choices: JsonObject[]) => choices.map(({ delta }) => (delta as JsonObject).content);

  it('keeps what is answered in the chunk of a thought out of the think tag', () => {
    const sent = thinkingAsText(
      { delta: { role: 'assistant', reasoning_content: 't1' } },
      { delta: { reasoning_content: 't2', content: 'both' } },
      { delta: { content: ' more' }, finish_reason: 'stop' },
    );

    expect(contents(sent)).toEqual(['<think>\nt1', 't2', '\n</think>\n', 'both', ' more']);
  });

  it('closes the think tag when the chunk of a thought is the last one or begins a call', () => {
    const [thought, close, last] = thinkingAsText({ delta: { reasoning: 't' }, finish_reason: 'length' });
    expect([thought, close]).toEqual([
      { delta: { content: '<think>\nt' }, finish_reason: null },
      { delta: { content: '\n</think>\n' }, finish_reason: null },
    ]);
    expect(last).toEqual({ delta: {}, finish_reason: 'length' });

    const call = { index: 0, id: 'c', function: { name: 'f', arguments: '' } };
    const sent = thinkingAsText({ delta: { reasoning: 't', tool_calls: [call] } });
    expect(sent.map(({ delta }) => delta)).toEqual([
      { content: '<think>\nt' },
      { content: '\n</think>\n' },
      { tool_calls: [call] },
    ]);
  });
});

describe('an error of Alibaba, whose members are at the top level', () => {
  const told = JSON.stringify({ code: 'DataInspectionFailed', message: 'not this', request_id: 'r9' });
  const judged = { message: 'not this', type: 'DataInspectionFailed', code: 'DataInspectionFailed', param: 'r9' };
  const ali = findProvider(17)?.chat;

  it('is one although the status is 200', () => {
    expect(ali?.fromReply(Buffer.from(told), replyContext()).fault).toMatchObject(judged);
  });

  it.each([{}, { force_format: true }])('ends a stream, shaped by %j', (setting) => {
    const stream = ali?.openStream(replyContext({ setting }));
    stream?.push(Buffer.from(`data: ${told}\n\n`));
    expect(stream?.fault).toMatchObject(judged);
  });
});

describe('a whole reply of the same dialect', () => {
  const reply = (json: object, context: Partial<ReplyContext> = {}) =>
    chat.fromReply(Buffer.from(JSON.stringify(json)), replyContext(context));
  const choices = [{ message: { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' }, finish_reason: 'stop' }];

  it('is forwarded unchanged, and read for usage', () => {
    const body = Buffer.from(
      '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1},"usage":{"prompt_tokens":4,"completion_tokens":2}}',
    );
    const read = chat.fromReply(body, replyContext());

    expect(read.body).toBe(body);
    expect(read.usage).toMatchObject({ inputTokens: 4, outputTokens: 2 });
  });

  it('can be counted when usage is absent', () => {
    expect(reply({ choices }).fault).toBeUndefined();
    expect(reply({ choices }).usage).toBeUndefined();
    expect(reply({ choices }).text().text).toBe('HiHm');
    const thoughts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
      { type: 'text', text: 'Hi' },
    ];
    const told = [
      { content: thoughts },
      { content: 'Hi', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] },
      { content: null, refusal: 'No' },
    ];
    const texts = told.map((message) => reply({ choices: [{ message }] }).text().text);
    expect(texts).toEqual(['HmHi', 'HiHm', 'No']);
  });

  it('is a fault when it is an error in disguise or no completion', () => {
    expect(reply({ error: { message: 'no', code: 'invalid_api_key' } }).fault?.class).toBe('credential');
    expect(reply({ object: 'list' }).fault?.code).toBe('unmarshal_response_body_failed');
    expect(chat.fromReply(Buffer.from('<html>'), replyContext()).fault?.class).toBe('upstream');
  });

  it('moves reasoning into the content when the channel says so', () => {
    const body = JSON.parse(reply({ choices }, { setting: { thinking_to_content: true } }).body.toString()) as {
      choices: { message: JsonObject }[];
    };

    expect(body.choices[0]?.message).toEqual({ role: 'assistant', content: '<think>\nHm\n</think>\nHi' });
  });
});

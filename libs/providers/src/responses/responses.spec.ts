import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { channelTarget, clientRequest, dataOf, fixture, play, replyContext } from '../../test/factories.js';
import type { JsonObject, TextAdapter } from '../adapter.js';
import { findProvider } from '../registry.js';
import { responsesBounds } from './bounds.js';

const folder = import.meta.dirname;
const adapterOf = (type: number): TextAdapter => {
  const adapter = findProvider(type)?.responses;
  if (!adapter) throw new Error(`type ${type} has no responses`);
  return adapter;
};
const native = adapterOf(1);
const overClaude = adapterOf(14);
const overChat = adapterOf(25);
const context = replyContext({ requestId: '0199-aa' });

const bodyOf = (adapter: TextAdapter, json: JsonObject, details = {}): JsonObject =>
  JSON.parse(
    adapter.toUpstream(clientRequest(json, { dialect: 'responses' }), channelTarget(details)).body?.toString() ?? '',
  ) as JsonObject;

const sent = (json: JsonObject): JsonObject => bodyOf(overChat, { model: 'm', input: 'x', ...json });

describe('requests of POST /v1/responses', () => {
  it('become turns, system and tools of a chat', () => {
    expect(
      sent({
        instructions: 'Be kind',
        input: [
          { type: 'message', role: 'developer', content: 'Be brief' },
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'What is this?' },
              { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
            ],
          },
          { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I ask' }] },
          { type: 'function_call', call_id: 'c1', name: 'a', arguments: '{}' },
          { type: 'function_call', call_id: 'c2', name: 'b', arguments: '{"x":1}' },
          { type: 'function_call_output', call_id: 'c1', output: 'one' },
          { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'two' }] },
        ],
        tools: [{ type: 'function', name: 'a', description: null, parameters: { type: 'object' }, strict: true }],
        tool_choice: { type: 'function', name: 'a' },
        parallel_tool_calls: false,
        max_output_tokens: 9,
        temperature: 0.5,
        top_p: 0.9,
        reasoning: { effort: 'low', summary: 'auto' },
        text: { format: { type: 'json_schema', name: 'n', strict: false, schema: { type: 'object' } } },
      }),
    ).toEqual({
      model: 'gpt-4o-mini',
      messages: [
        { role: 'system', content: 'Be kind\nBe brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          ],
        },
        {
          role: 'assistant',
          content: 'I ask',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } },
            { id: 'c2', type: 'function', function: { name: 'b', arguments: '{"x":1}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'one' },
        { role: 'tool', tool_call_id: 'c2', content: 'two' },
      ],
      tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'object' }, strict: true } }],
      tool_choice: { type: 'function', function: { name: 'a' } },
      parallel_tool_calls: false,
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'n', strict: false, schema: { type: 'object' } } },
    });
  });

  it('name the tools that may be called', () => {
    const tools = ['a', 'b'].map((name) => ({ type: 'function', name }));
    const choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'b' }] };
    expect(sent({ tools, tool_choice: choice })).toMatchObject({
      tools: [{ function: { name: 'b' } }],
      tool_choice: 'required',
    });
  });

  it('leave a thought out that is named by its id alone, as clients do whose answers are stored', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' };
    const input = [
      { role: 'user', content: 'x' },
      { type: 'item_reference', id: 'rs_0199' },
      call,
      { type: 'function_call_output', call_id: 'c1', output: 'r' },
    ];
    const without = input.filter(({ type }) => type !== 'item_reference');
    expect(sent({ input })).toEqual(sent({ input: without }));
  });

  it.each<[string, JsonObject]>([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['store', { store: true }],
    ['item_reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['computer_call', { input: [{ type: 'computer_call' }] }],
    ['file_id', { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }],
    ['input_video', { input: [{ role: 'user', content: [{ type: 'input_video' }] }] }],
    ['custom', { tools: [{ type: 'custom', name: 'x' }] }],
    ['hosted', { tool_choice: { type: 'hosted' } }],
  ])('are refused for %s where the upstream has no such thing', (word, json) => {
    expect(() => sent(json)).toThrow(word);
    expect(bodyOf(native, { model: 'gpt-4o-mini', input: 'x', ...json })).toMatchObject(json);
  });

  it('go to OpenAI byte for byte, but for model, effort, limit and the parameters of the channel', () => {
    const text = '{"model":"o3-mini-high", "input" : "x", "own": 1.0, "max_output_tokens":100}';
    const request = clientRequest(JSON.parse(text) as JsonObject, { dialect: 'responses', text });
    const same = native.toUpstream(request, channelTarget({ model: 'gpt-5' }));
    expect(same.url).toBe('https://api.openai.com/v1/responses');
    expect(same.body?.toString()).toBe(text.replace('o3-mini-high', 'gpt-5'));
    const changed = native.toUpstream(
      { ...request, outputLimit: 7 },
      channelTarget({ model: 'o3-mini-high', paramOverride: { top_p: 0.5, max_output_tokens: 50 } }),
    );
    expect(JSON.parse(changed.body?.toString() ?? '')).toEqual({
      ...{ model: 'o3-mini', input: 'x', own: 1, max_output_tokens: 7, top_p: 0.5, reasoning: { effort: 'high' } },
    });
    expect(changed.reasoningEffort).toBe('high');
    const raw = native.unchanged?.({ ...request, outputLimit: 7 }, channelTarget({ model: 'gpt-5' }));
    expect(raw).toMatchObject({ body: Buffer.from(text.replace('100', '7')), model: 'o3-mini-high' });
  });

  it('find the deployment of Azure, by the path of its version', () => {
    const request = clientRequest({ model: 'gpt-4.1', input: 'x' }, { dialect: 'responses' });
    const base = { channelType: 3, model: 'gpt-4.1', baseUrl: 'https://me.openai.azure.com' };
    const azure = adapterOf(3);
    const { url, body } = azure.toUpstream(request, channelTarget({ ...base, other: '2024-12-01-preview' }));
    expect(url).toBe('https://me.openai.azure.com/openai/v1/responses?api-version=preview');
    expect(JSON.parse(body?.toString() ?? '')).toMatchObject({ model: 'gpt-4.1' });
    expect(azure.toUpstream(request, channelTarget({ ...base, other: '2025-04-01-preview' })).url).toBe(
      'https://me.openai.azure.com/openai/responses?api-version=2025-04-01-preview',
    );
  });

  it('are bounded by their limit and media', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' };
    expect(
      responsesBounds({
        max_output_tokens: 5,
        input: [
          { role: 'user', content: [image] },
          { role: 'assistant', content: 'Hi' },
          { type: 'function_call_output', output: [image] },
          { type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: 'https://x' } },
          { type: 'image_generation_call', result: 'AA==' },
        ],
      }),
    ).toMatchObject({
      max_tokens: 5,
      messages: [
        { role: 'user', content: [image] },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
        { content: [image] },
        { content: [{ type: 'input_image', image_url: 'https://x' }] },
        { content: [{ type: 'image', image: 'AA==' }] },
      ],
    });
  });
});

describe("OpenAI's stream of a response", () => {
  const bytes = fixture(folder, 'tools.sse');
  const open = (body: Buffer, sizes: number[] = []) => {
    const stream = native.openStream(context);
    return { frames: play(stream, body, sizes), stream };
  };

  it('goes on byte for byte, wherever it is cut, and tells its usage', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 60 }), (sizes) => {
        const { frames, stream } = open(bytes, sizes);
        expect(frames).toBe(bytes.toString('utf8'));
        expect(stream.usage()).toMatchObject({ inputTokens: 40, cacheReadTokens: 10, outputTokens: 30 });
        expect(stream.usage()?.reasoningTokens).toBe(12);
        expect(stream.text()).toEqual({ text: 'Thinking.Asking.weather{"city":"Ulm"}', droppedBytes: 0, toolCalls: 1 });
      }),
      { numRuns: 50 },
    );
  });

  it('is cut without its end, and failed where it says so', () => {
    const text = bytes.toString('utf8');
    const cut = open(Buffer.from(text.slice(0, text.indexOf('event: response.completed'))));
    expect(cut.stream.isComplete).toBe(false);
    const sent = dataOf(cut.frames).length;
    const [error] = dataOf(cut.stream.errorFrames({ message: 'cut', type: 't', code: 'c' }, 'r').toString());
    expect(error).toMatchObject({ type: 'error', sequence_number: sent });
    const failed = (data: object): unknown =>
      open(Buffer.from(`event: x\ndata: ${JSON.stringify(data)}\n\n`)).stream.fault;
    expect(
      failed({
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow down' } },
      }),
    ).toMatchObject({ class: 'rate-limited', message: 'slow down' });
    expect(failed({ type: 'error', code: 'server_error', message: 'broken', param: null })).toMatchObject({
      message: 'broken',
      type: 'openai_error',
      code: 'server_error',
    });
  });

  it('is charged by the usage of the event in which it fails, if that states one', () => {
    const failed = { status: 'failed', error: { code: 'server_error', message: 'no' } };
    const of = (response: object): Buffer =>
      Buffer.from(`event: x\ndata: ${JSON.stringify({ type: 'response.failed', response })}\n\n`);
    const { stream } = open(of({ ...failed, usage: { input_tokens: 36, output_tokens: 87, total_tokens: 123 } }));
    expect(stream.usageSoFar()).toMatchObject({ inputTokens: 36, outputTokens: 87 });
    for (const usage of [null, { input_tokens: 0, output_tokens: 0, total_tokens: 0 }])
      expect(open(of({ ...failed, usage })).stream.usageSoFar()).toBeUndefined();
  });

  it('is read whole as well', () => {
    const body = { id: 'r', object: 'response', status: 'completed', error: null, output: [], usage: null };
    expect(native.fromReply(Buffer.from(JSON.stringify(body)), context)).toMatchObject({ usage: undefined });
    const failed = { ...body, status: 'failed', error: { code: 'server_error', message: 'no' } };
    const faultOf = (json: object) => native.fromReply(Buffer.from(JSON.stringify(json)), context).fault;
    expect(faultOf(failed)).toMatchObject({ message: 'no', type: 'openai_error' });
    expect(faultOf({ error: { message: 'no', type: 'server_error' } })).toMatchObject({ type: 'server_error' });
    expect(faultOf({ error: { message: 'no', type: null } })).toMatchObject({ type: 'openai_error' });
    const mute = { ...body, status: 'failed', error: { code: '', message: '' } };
    expect(faultOf(mute)).toMatchObject({ message: 'the response failed', type: 'openai_error' });
    expect(native.fromReply(Buffer.from('{}'), context).fault).toBeDefined();
  });
});

describe("another upstream's stream as a response", () => {
  const claude = path('../anthropic', 'thinking-and-tools.sse');

  it('has an item for each thought, text and call, and ends with all of them', () => {
    const events = dataOf(play(overClaude.openStream(context), claude));
    const final = events.at(-1)?.response as JsonObject;
    const items = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    expect(final.output).toEqual(items);
    expect((items as JsonObject[]).map(({ type }) => type)).toEqual([
      ...['reasoning', 'message', 'function_call', 'function_call'],
    ]);
    for (const item of items as JsonObject[]) {
      const deltas = events.filter(({ type, item_id: id }) => id === item.id && String(type).endsWith('.delta'));
      const said = deltas.map(({ delta }) => delta).join('');
      expect(JSON.stringify(item)).toContain(JSON.stringify(said).slice(1, -1));
    }
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, at) => at));
    expect(final.usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) });
  });

  it('is the same however it is cut', () => {
    const whole = play(overClaude.openStream(context), claude);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 80 }), (sizes) => {
        expect(play(overClaude.openStream(context), claude, sizes)).toBe(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('is incomplete where a limit ended it, and fails with an error of its own', () => {
    const limited = dataOf(play(overClaude.openStream(context), path('../anthropic', 'max-tokens.sse'))).at(-1);
    expect(limited).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    });
    const stream = overClaude.openStream(context);
    stream.push(claude.subarray(0, claude.length / 2));
    const frames = dataOf(stream.errorFrames({ message: 'cut', type: 't', code: 'upstream_cut' }, 'r9').toString());
    expect(frames).toMatchObject([
      { type: 'response.failed', response: { status: 'failed', error: { code: 'upstream_cut' } } },
      { type: 'error', code: 'upstream_cut', message: 'cut (request id: r9)' },
    ]);
  });

  it('has an empty object for the arguments of a call that has none', () => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'time', arguments: '' } };
    const choice = { index: 0, message: { tool_calls: [call] }, finish_reason: 'tool_calls' };
    const whole = overChat.fromReply(Buffer.from(JSON.stringify({ id: 'c', choices: [choice] })), context);
    const chunk = { id: 'c', choices: [{ ...choice, delta: choice.message }] };
    const bytes = Buffer.from(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    const events = dataOf(play(overChat.openStream(context), bytes));

    expect(JSON.parse(whole.body.toString())).toMatchObject({ output: [{ name: 'time', arguments: '{}' }] });
    expect(events.find(({ type }) => type === 'response.function_call_arguments.done')).toMatchObject({
      arguments: '{}',
    });
    expect(events.at(-1)).toMatchObject({ response: { output: [{ name: 'time', arguments: '{}' }] } });
  });

  it('repeats what was asked, but not at any length', () => {
    const asked = { instructions: 'Be kind', tools: [{ type: 'function', name: 'a' }], metadata: { a: 'b' } };
    const reply = (json: JsonObject): JsonObject => {
      const body = { id: 'x', choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] };
      const { body: written } = overChat.fromReply(Buffer.from(JSON.stringify(body)), {
        ...context,
        request: json,
      });
      return JSON.parse(written.toString()) as JsonObject;
    };
    expect(reply(asked)).toMatchObject({ ...asked, store: false, status: 'completed', id: 'resp_0199aa' });
    expect(reply({ instructions: 'x'.repeat(100_000) })).toMatchObject({ instructions: null, temperature: 1 });
  });
});

function path(other: string, name: string): Buffer {
  return fixture(`${folder}/${other}`, name);
}

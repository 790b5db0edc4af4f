import { describe, expect, it } from '@jest/globals';
import { isZhipuToken, tc3Fault, TENCENT_KEY, ZHIPU_KEY } from '@tollgate/testing';
import { channelTarget, clientRequest, dataOf, fixture, noTokens, play, replyContext } from '../../test/factories.js';
import type { AccessTokenSource, ChannelTarget, JsonObject, TextAdapter, UpstreamRequest } from '../adapter.js';
import { authorized } from '../authorized.js';
import { baidu } from '../baidu/index.js';
import { tencent } from '../tencent/index.js';
import { zhipuV3 } from '../zhipu-v3/index.js';

const SRC = `${import.meta.dirname}/..`;
const bodyOf = ({ body }: UpstreamRequest): JsonObject => JSON.parse(String(body)) as JsonObject;
const chatOf = (bytes: Buffer): JsonObject => JSON.parse(bytes.toString('utf8')) as JsonObject;
const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };
const image = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }];
/** A conversation in which a tool was called, and answered. */
const withTools: JsonObject = {
  model: 'm',
  tools: [tool],
  messages: [
    { role: 'system', content: 'Be kind' },
    { role: 'user', content: 'Rain?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'sun' },
  ],
};

const rows = [
  { folder: 'baidu', type: 15, provider: baidu, model: 'ERNIE-4.0-8K', faults: ['baidu_error', '336003', 'invalid'] },
  {
    folder: 'zhipu-v3',
    type: 16,
    provider: zhipuV3,
    model: 'chatglm_turbo',
    faults: ['zhipu_error', '1261', 'invalid'],
  },
  {
    ...{ folder: 'tencent', type: 23, provider: tencent, model: 'hunyuan-pro' },
    faults: ['tencent_error', 'InvalidParameterValue.Model', 'invalid'],
  },
] as const;

describe.each(rows)('$folder', ({ folder, type, provider, model, faults }) => {
  const chat: TextAdapter = provider.chat;
  const recorded = (name: string): Buffer => fixture(`${SRC}/${folder}`, name);
  const sent = (json: JsonObject, details: Partial<ChannelTarget> = {}, outputLimit?: number) =>
    chat.toUpstream(
      clientRequest(
        { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...json },
        { ...(outputLimit && { outputLimit }) },
      ),
      channelTarget({ channelType: type, model, ...details }),
    );

  it('answers whole', () => {
    const reply = chat.fromReply(recorded('text.json'), replyContext());
    expect(reply.usage).toMatchObject({ inputTokens: 7, outputTokens: 9 });
    expect(reply.text().text).toBe('您好，Ünïverse!');
    expect(chatOf(reply.body).choices).toMatchObject([
      { message: { content: '您好，Ünïverse!' }, finish_reason: 'stop' },
    ]);
  });

  it.each([[[]], [[1, 2, 3, 5, 8, 13, 21, 34, 55, 89]], [Array.from({ length: 2000 }, () => 1)]])(
    'streams, however it is cut',
    (sizes) => {
      const stream = chat.openStream(replyContext({ includeUsage: true }));
      const data = dataOf(play(stream, recorded('text.sse'), sizes));
      const deltas = data.flatMap(({ choices }) => choices as { delta?: { content?: string } }[]);
      expect(deltas.map(({ delta }) => delta?.content ?? '').join('')).toBe('您好，Ünïverse!');
      expect(stream.usage()).toMatchObject({ inputTokens: 7, outputTokens: 9 });
      expect([stream.isComplete, stream.malformedEvents]).toEqual([true, 0]);
    },
  );

  it('says what went wrong, whole and in a stream', () => {
    const { fault } = chat.fromReply(recorded('error.json'), replyContext());
    expect([fault?.type, fault?.code, fault?.class]).toEqual(faults);
    const stream = chat.openStream(replyContext());
    expect(play(stream, recorded('error.sse'))).toContain('您好');
    expect(stream.fault).toMatchObject({ type: faults[0] });
    expect(stream.isComplete).toBe(false);
    expect(provider.readError(recorded('error.json').toString('utf8'))).toMatchObject({ error: { code: faults[1] } });
    expect(chat.fromReply(Buffer.from('<html>'), replyContext()).fault).toMatchObject({ type: 'upstream_error' });
  });

  it('is cut when its end does not come', () => {
    const bytes = recorded('text.sse');
    const stream = chat.openStream(replyContext());
    play(stream, bytes.subarray(0, bytes.length >> 1));
    expect(stream.isComplete).toBe(false);
  });

  it('has the override of the channel over all, but for the limit of the quota', () => {
    expect(bodyOf(sent({}, { paramOverride: { top_k: 3 } }))).toMatchObject({ top_k: 3 });
    expect(sent({ stream: true }).headers).toMatchObject({ accept: 'text/event-stream' });
  });
});

describe('baidu', () => {
  const target = channelTarget({ channelType: 15, model: 'ERNIE-4.0-8K', key: 'id|secret' });
  const sent = (json: JsonObject, outputLimit?: number) =>
    bodyOf(baidu.chat.toUpstream(clientRequest(json, { ...(outputLimit && { outputLimit }) }), target));
  const hi = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

  it.each([
    ['ERNIE-4.0', 'completions_pro'],
    ['ERNIE-3.5-8K', 'completions'],
    ['ERNIE-Lite-8K-0922', 'eb-instant'],
    ['ERNIE-Speed-8K', 'ernie_speed'],
    ['ERNIE-Speed-128K', 'ernie-speed-128k'],
    ['ERNIE-Lite-8K-0308', 'ernie-lite-8k-0308'],
    ['BLOOMZ-7B', 'bloomz_7b1'],
    ['constructor', 'constructor'],
  ])('has %s at %s', (model, place) => {
    const { url } = baidu.chat.toUpstream(clientRequest(hi), { ...target, model });
    expect(url).toBe(`https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/${place}`);
  });

  it('puts the settings into what it takes', () => {
    const asked = { ...hi, temperature: 0, top_p: 2, max_tokens: 1, frequency_penalty: 1.5, stop: 'x', user: 'u' };
    expect(sent(asked)).toEqual({
      messages: [{ role: 'user', content: 'hi' }],
      ...{ temperature: 0.01, top_p: 1, max_output_tokens: 2, penalty_score: 1.5, stop: ['x'], user_id: 'u' },
    });
    expect(sent({ ...hi, max_tokens: 500 }, 30)).toMatchObject({ max_output_tokens: 30 });
  });

  it('calls tools one after another', () => {
    expect(sent(withTools)).toMatchObject({
      system: 'Be kind',
      functions: [{ name: 'weather', description: 'weather' }],
      messages: [
        { role: 'user', content: 'Rain?' },
        { role: 'assistant', content: '', function_call: { name: 'weather', arguments: '{"city":"Ulm"}' } },
        { role: 'function', name: 'weather', content: 'sun' },
      ],
    });
    const whole = baidu.chat.fromReply(fixture(`${SRC}/baidu`, 'tools.json'), replyContext());
    expect(chatOf(whole.body).choices).toMatchObject([
      { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'weather' } }] } },
    ]);
    const stream = baidu.messages.openStream(replyContext());
    expect(play(stream, fixture(`${SRC}/baidu`, 'tools.sse'))).toContain('"stop_reason":"tool_use"');
    expect(() => sent({ ...hi, messages: [{ role: 'user', content: image }] })).toThrow('Baidu takes text only');
  });

  it('exchanges the halves of the key for a token, which stands in the address', async () => {
    const tokens: AccessTokenSource = {
      get: async (exchange) => {
        const { url } = await exchange.ask();
        expect(url).toBe(
          'https://aip.baidubce.com/oauth/2.0/token?grant_type=client_credentials&client_id=id&client_secret=secret',
        );
        expect(exchange.id).not.toContain('secret');
        const reply = { access_token: '24.abc', expires_in: 2_592_000 };
        return exchange.read({ status: 200, body: Buffer.from(JSON.stringify(reply)) }).token;
      },
    };
    const request = await authorized(baidu, baidu.chat.toUpstream(clientRequest(hi), target), target, tokens);
    expect(request.url).toMatch(/completions_pro\?access_token=24\.abc$/);
    await expect(authorized(baidu, request, { ...target, key: 'id' }, noTokens)).rejects.toThrow('APIKey|SecretKey');
  });
});

describe('zhipu-v3', () => {
  const target = channelTarget({ channelType: 16, model: 'chatglm_turbo', key: ZHIPU_KEY, nowMs: Date.now() });
  const hi = { model: 'm', top_p: 1, temperature: 0, messages: [{ role: 'user', content: 'hi' }] };

  it('puts an answer of the user behind the system, and stays within what is taken', () => {
    const request = zhipuV3.chat.toUpstream(
      clientRequest({
        ...hi,
        ...withTools,
        tools: [],
        stream: true,
        messages: [{ role: 'system', content: 'Be kind' }, ...hi.messages],
      }),
      target,
    );
    expect(request.url).toBe('https://open.bigmodel.cn/api/paas/v3/model-api/chatglm_turbo/sse-invoke');
    expect(bodyOf(request)).toEqual({
      prompt: [
        { role: 'system', content: 'Be kind' },
        { role: 'user', content: 'Okay' },
        { role: 'user', content: 'hi' },
      ],
      ...{ temperature: 0.01, top_p: 0.99, incremental: true },
    });
  });

  it('reads the lines of a text, and facts in an event without a text', () => {
    const stream = zhipuV3.chat.openStream(replyContext({ includeUsage: true }));
    const data = dataOf(play(stream, fixture(`${SRC}/zhipu-v3`, 'lines.sse')));
    const deltas = data.flatMap(({ choices }) => choices as { delta?: { content?: string } }[]);
    expect(deltas.map(({ delta }) => delta?.content ?? '').join('')).toBe('one\n two');
    expect([stream.isComplete, stream.usage()?.outputTokens]).toEqual([true, 9]);
  });

  it('signs a token of its own, refuses tools and pictures', async () => {
    const request = await authorized(zhipuV3, zhipuV3.chat.toUpstream(clientRequest(hi), target), target, noTokens);
    expect(isZhipuToken(request.headers.authorization ?? '')).toBe(true);
    const unkeyed = { ...target, key: 'plain' };
    await expect(authorized(zhipuV3, request, unkeyed, noTokens)).rejects.toThrow('id.secret');
    expect(() => zhipuV3.chat.toUpstream(clientRequest(withTools), target)).toThrow('Zhipu v3 has no tools');
    const picture = { model: 'm', messages: [{ role: 'user', content: image }] };
    expect(() => zhipuV3.chat.toUpstream(clientRequest(picture), target)).toThrow('text only');
  });
});

describe('tencent', () => {
  const target = channelTarget({ channelType: 23, model: 'hunyuan-pro', key: TENCENT_KEY, nowMs: Date.now() });
  const sent = (json: JsonObject) => tencent.chat.toUpstream(clientRequest(json), target);

  it('writes conversations with tools and pictures in capitals', () => {
    expect(bodyOf(sent({ ...withTools, tool_choice: { type: 'function', function: { name: 'weather' } } }))).toEqual({
      Model: 'hunyuan-pro',
      Stream: false,
      Messages: [
        { Role: 'system', Content: 'Be kind' },
        { Role: 'user', Content: 'Rain?' },
        {
          ...{ Role: 'assistant', Content: '' },
          ToolCalls: [{ Id: 'c1', Type: 'function', Function: { Name: 'weather', Arguments: '{"city":"Ulm"}' } }],
        },
        { Role: 'tool', ToolCallId: 'c1', Content: 'sun' },
      ],
      Tools: [{ Type: 'function', Function: { Name: 'weather', Parameters: '{"type":"object","properties":{}}' } }],
      ToolChoice: 'custom',
      CustomTool: { Type: 'function', Function: expect.objectContaining({ Name: 'weather' }) },
    });
    expect(bodyOf(sent({ model: 'm', messages: [{ role: 'user', content: image }] })).Messages).toEqual([
      { Role: 'user', Contents: [{ Type: 'image_url', ImageUrl: { Url: 'data:image/png;base64,AA==' } }] },
    ]);
    const audio = [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }];
    expect(() => sent({ model: 'm', messages: [{ role: 'user', content: audio }] })).toThrow('texts and images only');
  });

  it('calls tools, whole and in pieces, and thinks aloud', () => {
    const whole = tencent.chat.fromReply(fixture(`${SRC}/tencent`, 'tools.json'), replyContext());
    const called = { id: 'call_cn1', function: { name: 'weather', arguments: '{"city":"Ulm"}' } };
    expect(chatOf(whole.body).choices).toMatchObject([
      { finish_reason: 'tool_calls', message: { tool_calls: [called] } },
    ]);
    const stream = tencent.messages.openStream(replyContext());
    const frames = play(stream, fixture(`${SRC}/tencent`, 'tools.sse'));
    expect(frames).toContain('"stop_reason":"tool_use"');
    const written = dataOf(frames).map(({ delta }) => (delta as JsonObject | undefined)?.partial_json ?? '');
    expect(written.join('')).toBe('{"city":"Ulm"}');
    const thinking = tencent.chat.openStream(replyContext());
    expect(play(thinking, fixture(`${SRC}/tencent`, 'reasoning.sse'))).toContain('"reasoning_content":"Hm"');
  });

  it('signs each request as Tencent reads it', async () => {
    const { headers, body = Buffer.alloc(0) } = await authorized(tencent, sent(withTools), target, noTokens);
    expect(headers).toMatchObject({ 'x-tc-action': 'ChatCompletions', 'x-tc-version': '2023-09-01' });
    expect(tc3Fault({ headers, bytes: body })).toBeUndefined();
    expect(tc3Fault({ headers, bytes: Buffer.from('other') })).toBe('AuthFailure.SignatureFailure');
    await expect(authorized(tencent, sent(withTools), { ...target, key: 'a|b' }, noTokens)).rejects.toThrow('AppId');
  });
});

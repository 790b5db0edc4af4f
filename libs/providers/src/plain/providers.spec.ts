import { describe, expect, it } from '@jest/globals';
import { isZhipuToken, sparkUrlFault, tc3Fault, TENCENT_KEY, XUNFEI_KEY, ZHIPU_KEY } from '@tollgate/testing';
import { channelTarget, clientRequest, dataOf, fixture, noTokens, play, replyContext } from '../../test/factories.js';
import type {
  UpstreamTokenSource,
  ChannelTarget,
  ClientRequest,
  JsonObject,
  TextAdapter,
  UpstreamRequest,
} from '../adapter.js';
import { authorized } from '../channel/authorized.js';
import { baidu } from '../baidu/index.js';
import { tencent } from '../tencent/index.js';
import { xunfei } from '../xunfei/index.js';
import { zhipuV3 } from '../zhipu-v3/index.js';

const SRC = `${import.meta.dirname}/..`;
const bodyOf = ({ body }: UpstreamRequest): JsonObject => JSON.parse(String(body)) as JsonObject;
const codeOf = ({ error }: JsonObject): string => String((error as JsonObject).code);
const chatOf = (bytes: Buffer): JsonObject => JSON.parse(bytes.toString('utf8')) as JsonObject;
const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };
const image = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }];
/** A conversation with a tool call and its result. */
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
    ...{ folder: 'xunfei', type: 18, provider: xunfei, model: 'SparkDesk-v3.5' },
    faults: ['xunfei_error', '10013', 'invalid'],
  },
  {
    ...{ folder: 'tencent', type: 23, provider: tencent, model: 'hunyuan-pro' },
    faults: ['tencent_error', 'InvalidParameterValue.Model', 'invalid'],
  },
] as const;

describe.each(rows)('$folder', ({ folder, type, provider, model, faults }) => {
  const chat: TextAdapter = provider.chat;
  /** Over a WebSocket, streamed and unstreamed answers consist of the same messages. */
  const recorded = (name: string): Buffer =>
    fixture(`${SRC}/${folder}`, folder === 'xunfei' ? name.replace('.json', '.sse') : name);
  const sent = (json: JsonObject, details: Partial<ChannelTarget> = {}, outputLimit?: number) =>
    chat.toUpstream(
      clientRequest(
        { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...json },
        { ...(outputLimit && { outputLimit }) },
      ),
      channelTarget({ channelType: type, model, key: 'a|b|c', ...details }),
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
    if (folder !== 'xunfei')
      expect(codeOf(provider.readError(recorded('error.json').toString('utf8')))).toBe(faults[1]);
    expect(chat.fromReply(Buffer.from('<html>'), replyContext()).fault).toMatchObject({ type: 'new_api_error' });
  });

  it('sends nothing when it fails before its first word, so that another channel can be tried', () => {
    const bytes = recorded('error.sse').toString('utf8').replace('您好，', '');
    const stream = chat.openStream(replyContext());
    expect(play(stream, Buffer.from(bytes))).toBe('');
    expect(stream.fault).toMatchObject({ type: faults[0] });
  });

  it('is cut when its end does not come', () => {
    const bytes = recorded('text.sse');
    const stream = chat.openStream(replyContext());
    play(stream, bytes.subarray(0, bytes.length >> 1));
    expect(stream.isComplete).toBe(false);
  });

  it('has the override of the channel over all, but for the limit of the quota', () => {
    const body = bodyOf(sent({ stream: true }, { paramOverride: { top_k: 3 } }));
    expect(folder === 'xunfei' ? body : { parameter: { chat: body } }).toMatchObject({
      parameter: { chat: { top_k: 3 } },
    });
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
    ['ERNIE-Lite-8K-0308', 'ernie-lite-8k'],
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
    const embedded = { object: 'embedding_list', data: [{ embedding: [1], index: 0 }], usage: { total_tokens: 2 } };
    const vectors = baidu.embeddings.fromReply(Buffer.from(JSON.stringify(embedded)), replyContext());
    expect([whole, vectors].map(({ body }) => (JSON.parse(String(body)) as JsonObject).model)).toEqual([
      'ernie-bot',
      'baidu-embedding',
    ]);
    expect(chatOf(whole.body).choices).toMatchObject([
      { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'weather' } }] } },
    ]);
    const stream = baidu.messages.openStream(replyContext());
    expect(play(stream, fixture(`${SRC}/baidu`, 'tools.sse'))).toContain('"stop_reason":"tool_use"');
    expect(() => sent({ ...hi, messages: [{ role: 'user', content: image }] })).toThrow('Baidu takes text only');
  });

  it('exchanges the halves of the key for a token, which stands in the address', async () => {
    const tokens: UpstreamTokenSource = {
      get: async (exchange) => {
        const { url } = await exchange.buildRequest();
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
    expect(bodyOf(zhipuV3.chat.toUpstream(clientRequest(hi), target))).toMatchObject({ incremental: false });
  });

  it('reads the lines of a text with the spaces before them, and facts in an event without a text', () => {
    const stream = zhipuV3.chat.openStream(replyContext({ includeUsage: true }));
    const data = dataOf(play(stream, fixture(`${SRC}/zhipu-v3`, 'lines.sse')));
    const deltas = data.flatMap(({ choices }) => choices as { delta?: { content?: string } }[]);
    expect(deltas.map(({ delta }) => delta?.content ?? '').join('')).toBe('one\n two\n  - three');
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

describe('xunfei', () => {
  const target = channelTarget({ channelType: 18, model: 'SparkDesk-v3.5', key: XUNFEI_KEY, nowMs: Date.now() });
  const sent = (json: JsonObject, details: Partial<ChannelTarget> = {}, more: Partial<ClientRequest> = {}) =>
    xunfei.chat.toUpstream(clientRequest(json, more), { ...target, ...details });
  const hi = {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: 'hi' },
    ],
  };

  it.each([
    ['SparkDesk-v1.1', '', undefined, 'v1.1', 'lite'],
    ['SparkDesk-v4.0', 'v2.1', undefined, 'v4.0', '4.0Ultra'],
    ['SparkDesk', 'v2.1', undefined, 'v2.1', 'generalv2'],
    ['SparkDesk', '', undefined, 'v1.1', 'lite'],
    ['SparkDesk-v2.1', 'v2.1', 'v3.1', 'v3.1', 'generalv3'],
    ['SparkDesk', '../x', '../y', 'v1.1', 'lite'],
    ['SparkDesk', 'v9.9', undefined, 'v9.9', 'generalv9.9'],
  ])('of %s, channel %j and client %j is version %s', (...[model, other, apiVersion, version, domain]) => {
    const { url, body } = sent(hi, { model, other }, apiVersion === undefined ? {} : { apiVersion });
    expect(url).toBe(`wss://spark-api.xf-yun.com/${version}/chat`);
    expect(JSON.parse(String(body))).toMatchObject({ parameter: { chat: { domain } }, header: { app_id: 'fakeapp1' } });
  });

  it('says the rules as the version takes them, and limits within bounds', () => {
    const text = (model: string): unknown => (bodyOf(sent(hi, { model })).payload as JsonObject).message;
    const said = { role: 'user', content: 'hi' };
    expect(text('SparkDesk-v3.5')).toEqual({ text: [{ role: 'system', content: 'Be kind' }, said] });
    expect(text('SparkDesk-v3.1')).toEqual({
      text: [{ role: 'user', content: 'Be kind' }, { role: 'assistant', content: 'Okay' }, said],
    });
    const chat = { temperature: 2, top_k: 9, max_tokens: 99_999, n: 1 };
    expect(bodyOf(sent({ ...hi, ...chat }))).toMatchObject({
      parameter: { chat: { temperature: 1, top_k: 6, max_tokens: 8192 } },
    });
    expect(bodyOf(sent(hi, { paramOverride: { max_tokens: 50 } }, { outputLimit: 20 }))).toMatchObject({
      parameter: { chat: { max_tokens: 20 } },
    });
  });

  it('has functions, calls them, and is told of their results', () => {
    const { payload } = bodyOf(sent(withTools));
    expect(payload).toMatchObject({
      functions: { text: [{ name: 'weather', description: 'weather' }] },
      message: { text: expect.arrayContaining([{ role: 'user', content: 'weather: sun' }]) },
    });
    const recorded = fixture(`${SRC}/xunfei`, 'tools.sse');
    expect(chatOf(xunfei.chat.fromReply(recorded, replyContext()).body).choices).toMatchObject([
      { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'weather' } }] } },
    ]);
    expect(play(xunfei.messages.openStream(replyContext()), recorded)).toContain('"stop_reason":"tool_use"');
    expect(() => sent({ model: 'm', messages: [{ role: 'user', content: image }] })).toThrow('takes text only');
  });

  it('signs its address, and knows its last message', async () => {
    const broken = authorized(xunfei, sent(hi, { baseUrl: 'gate/spark' }), target, noTokens);
    await expect(broken).rejects.toMatchObject({ code: 'channel:invalid_address', faultClass: 'network' });
    const request = await authorized(xunfei, sent(hi, { baseUrl: 'http://gate:8080/spark/' }), target, noTokens);
    expect(request.url).toMatch(/^ws:\/\/gate:8080\/spark\/v3\.5\/chat\?host=gate%3A8080&date=/);
    expect(sparkUrlFault(request.url)).toBeUndefined();
    expect(sparkUrlFault(request.url.replace('v3.5', 'v3.1'))).toBe('HMAC signature does not match');
    expect(() => sent(hi, { key: 'a|b' })).toThrow('APPID|APISecret|APIKey');
    const isLast = request.socket?.isLast;
    const messages = ['{"header":{"status":1}}', '{"header":{"status":2}}', '{"header":{"code":10005}}', '<html>'];
    expect(messages.map((message) => isLast?.(message))).toEqual([false, true, true, false]);
    expect(xunfei.readError('{"message":"HMAC signature does not match"}')).toMatchObject({
      error: { type: 'authentication_error' },
    });
  });

  it('is no answer without its end', () => {
    const bytes = fixture(`${SRC}/xunfei`, 'text.sse');
    const { fault } = xunfei.chat.fromReply(bytes.subarray(0, bytes.lastIndexOf('data:')), replyContext());
    expect(fault).toMatchObject({ code: 'unmarshal_response_body_failed' });
  });
});

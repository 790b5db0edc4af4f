import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, dataOf, fixture, play, replyContext } from '../../test/factories.js';
import type { ChannelTarget, FollowUp, JsonObject, UpstreamRequest } from '../adapter.js';
import { ChannelUnusable, RequestRejected } from '../adapter.js';
import { coze } from './index.js';

const target = (details: Partial<ChannelTarget> = {}): ChannelTarget =>
  channelTarget({ channelType: 49, key: 'pat_1', model: 'bot', other: '7379', ...details });
const request = (json: JsonObject) => clientRequest(json, { requestId: 'r-7' });
const jsonOf = ({ body }: UpstreamRequest): JsonObject => JSON.parse(String(body)) as JsonObject;
const hi = { messages: [{ role: 'user', content: 'hi' }] };
const bodies = (...replies: unknown[]): Buffer[] => replies.map((reply) => Buffer.from(JSON.stringify(reply)));
const requestOf = (next: FollowUp | undefined): UpstreamRequest => {
  if (!next || 'answer' in next) throw new Error('no request follows');
  return next.request;
};
const chat = (status: string, more: JsonObject = {}) => ({
  code: 0,
  data: { id: 'chat', conversation_id: 'con', status, ...more },
});
const usage = { token_count: 30, output_count: 10, input_count: 20 };
const messages = {
  code: 0,
  data: [
    { role: 'assistant', type: 'verbose', content: '{}' },
    { role: 'assistant', type: 'answer', content: 'Hello', reasoning_content: 'Hm.' },
    { role: 'assistant', type: 'follow_up', content: 'And now?' },
  ],
};
const recorded = (name: string): Buffer => fixture(import.meta.dirname, `${name}.sse`);

describe('a chat with a bot of Coze', () => {
  it('sends all that was said to the bot of the channel', () => {
    const upstream = coze.chat.toUpstream(
      request({
        messages: [
          { role: 'user', content: 'One' },
          { role: 'assistant', content: 'Two' },
          { role: 'user', content: 'Three' },
        ],
      }),
      target(),
    );
    expect([upstream.url, upstream.headers.authorization]).toEqual(['https://api.coze.cn/v3/chat', 'Bearer pat_1']);
    expect(jsonOf(upstream)).toEqual({
      bot_id: '7379',
      user_id: 'r-7',
      stream: false,
      additional_messages: [
        { role: 'user', content: 'One', content_type: 'text' },
        { role: 'assistant', type: 'answer', content: 'Two', content_type: 'text' },
        { role: 'user', content: 'Three', content_type: 'text' },
      ],
    });
  });

  it('polls for an unstreamed answer until it is complete', () => {
    const next = (...replies: unknown[]) => coze.chat.followUp?.(bodies(...replies), request(hi), target());
    const poll = next(chat('in_progress'));
    expect(poll).toMatchObject({ afterMs: 1000 });
    expect(requestOf(poll)).toMatchObject({
      method: 'GET',
      url: 'https://api.coze.cn/v3/chat/retrieve?conversation_id=con&chat_id=chat',
    });
    const done = chat('completed', { usage });
    expect(requestOf(next(chat('created'), chat('in_progress'), done)).url).toBe(
      'https://api.coze.cn/v3/chat/message/list?conversation_id=con&chat_id=chat',
    );
    const answer = next(chat('in_progress'), done, messages);
    if (!answer || !('answer' in answer)) throw new Error('there is no answer');
    const reply = coze.chat.fromReply(answer.answer, replyContext());
    expect(JSON.parse(String(reply.body))).toMatchObject({
      id: 'chat',
      choices: [{ message: { content: 'Hello', reasoning_content: 'Hm.' }, finish_reason: 'stop' }],
    });
    expect(reply.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  it('uploads pictures first', () => {
    const content = [
      { type: 'text', text: 'What?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
      { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
    ];
    const json = { messages: [{ role: 'user', content }], stream: true };
    expect(coze.chat.toUpstream(request(json), target()).url).toBe('https://api.coze.cn/v1/files/upload');
    const last = requestOf(coze.chat.followUp?.(bodies({ code: 0, data: { id: 'f1' } }), request(json), target()));
    expect(last.isFinal).toBe(true);
    const [message] = jsonOf(last).additional_messages as JsonObject[];
    expect(message?.content_type).toBe('object_string');
    expect(JSON.parse(String(message?.content))).toEqual([
      { type: 'text', text: 'What?' },
      { type: 'image', file_id: 'f1' },
      { type: 'image', file_url: 'https://x.example/a.png' },
    ]);
  });

  it('refuses tools, and a channel without a bot', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(() => coze.chat.toUpstream(request({ ...hi, tools }), target())).toThrow(RequestRejected);
    const withoutBot = (): unknown => coze.chat.toUpstream(request(hi), target({ other: '' }));
    expect(withoutBot).toThrow(ChannelUnusable);
    // Not the fault of a key, neither the channel's nor, to the client, its own.
    expect(withoutBot).toThrow(expect.objectContaining({ code: 'channel:bot_missing', faultClass: 'upstream' }));
  });
});

describe("Coze's answer", () => {
  it.each<[string, unknown, string, string]>([
    ['a wrong key', { code: 4100, msg: 'authentication is invalid' }, 'credential', '4100'],
    ['too many calls', { code: 4013, msg: 'slow down' }, 'rate-limited', '4013'],
    ['wrong parameters', { code: 4000, msg: 'bot not published' }, 'invalid', '4000'],
    ['a failed chat', chat('failed', { last_error: { code: 5000, msg: 'broken' } }), 'upstream', '5000'],
    ['one that wants a tool', chat('requires_action'), 'upstream', 'requires_action'],
  ])('is a fault for %s', (_, json, kind, code) => {
    const [body = Buffer.alloc(0)] = bodies(json);
    expect(coze.chat.followUp?.([body], request(hi), target())).toBeUndefined();
    expect(coze.chat.fromReply(body, replyContext()).fault).toMatchObject({ class: kind, code });
  });

  it.each([[[]], [[3, 700, 41]]])('streams, cut at %j', (sizes) => {
    const stream = coze.chat.openStream(replyContext({ includeUsage: true }));
    const chunks = dataOf(play(stream, recorded('text'), sizes));
    const textOf = (member: string): string =>
      chunks
        .map((chunk) => ((chunk.choices as JsonObject[])[0]?.delta as JsonObject | undefined)?.[member] ?? '')
        .join('');
    expect([textOf('reasoning_content'), textOf('content')]).toEqual(['They greet me.', 'Hello, Ünïverse.']);
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 614, completion_tokens: 19 });
    expect([stream.isComplete, stream.usage()?.inputTokens]).toEqual([true, 614]);
  });

  it('reports a chat that failed within the stream', () => {
    const stream = coze.messages.openStream(replyContext());
    // Nothing is sent before the first word, so that another channel can be tried.
    expect(play(stream, recorded('failed'))).toBe('');
    expect(stream.fault).toMatchObject({ class: 'credential', code: '4028' });
    expect(stream.isComplete).toBe(false);
  });
});

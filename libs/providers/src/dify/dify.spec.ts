import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, dataOf, fixture, play, replyContext } from '../../test/factories.js';
import type { ChannelTarget, FollowUp, JsonObject, UpstreamRequest } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { classifyError } from '../faults/faults.js';
import { dify } from './index.js';

const target = (details: Partial<ChannelTarget> = {}): ChannelTarget =>
  channelTarget({ channelType: 37, key: 'app-1', model: 'app', ...details });
const request = (json: JsonObject) => clientRequest(json, { requestId: 'r-7' });
const jsonOf = ({ body }: UpstreamRequest): JsonObject => JSON.parse(String(body)) as JsonObject;
const requestOf = (next: FollowUp | undefined): UpstreamRequest => {
  if (!next || 'answer' in next) throw new Error('no request follows');
  return next.request;
};
const recorded = (name: string): Buffer => fixture(import.meta.dirname, `${name}.sse`);
const contentOf = (chunks: JsonObject[], member: string): string =>
  chunks.map((chunk) => ((chunk.choices as JsonObject[])[0]?.delta as JsonObject | undefined)?.[member] ?? '').join('');

describe('a question to Dify', () => {
  it('holds all that was said, under headings', () => {
    const upstream = dify.chat.toUpstream(
      request({
        messages: [
          { role: 'system', content: 'Be kind' },
          { role: 'user', content: 'One' },
          { role: 'assistant', content: 'Two' },
          { role: 'user', content: 'Three' },
        ],
      }),
      target(),
    );
    expect([upstream.url, upstream.headers.authorization]).toEqual([
      'https://api.dify.ai/v1/chat-messages',
      'Bearer app-1',
    ]);
    expect(jsonOf(upstream)).toEqual({
      inputs: {},
      query: 'SYSTEM: \nBe kind\nUSER: \nOne\nASSISTANT: \nTwo\nUSER: \nThree\n',
      response_mode: 'blocking',
      user: 'r-7',
      auto_generate_name: false,
    });
    const streamed = request({ messages: [{ role: 'user', content: 'hi' }], stream: true, user: 'u' });
    expect(jsonOf(dify.chat.toUpstream(streamed, target()))).toMatchObject({ response_mode: 'streaming', user: 'u' });
  });

  it('uploads what came with it first, and names addresses as they are', () => {
    const image = (url: string) => ({ type: 'image_url', image_url: { url } });
    const json = {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            image('data:image/png;base64,AQID'),
            image('https://x.example/a.jpg'),
            image('data:image/jpeg;base64,BAU='),
          ],
        },
      ],
    };
    const first = dify.chat.toUpstream(request(json), target());
    expect(first.url).toBe('https://api.dify.ai/v1/files/upload');
    expect(first.isFinal).toBeUndefined();
    const form = String(first.body);
    expect(first.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(form).toContain('name="user"\r\n\r\nr-7\r\n');
    expect(form).toContain('filename="image.png"\r\ncontent-type: image/png\r\n\r\n\x01\x02\x03\r\n--');
    const replies = [Buffer.from('{"id":"f1"}')];
    expect(String(requestOf(dify.chat.followUp?.(replies, request(json), target())).body)).toContain('image.jpg');
    replies.push(Buffer.from('{"id":"f2"}'));
    const last = requestOf(dify.chat.followUp?.(replies, request(json), target()));
    expect([last.isFinal, jsonOf(last).files]).toEqual([
      true,
      [
        { type: 'image', transfer_method: 'local_file', upload_file_id: 'f1' },
        { type: 'image', transfer_method: 'remote_url', url: 'https://x.example/a.jpg' },
        { type: 'image', transfer_method: 'local_file', upload_file_id: 'f2' },
      ],
    ]);
    expect(dify.chat.followUp?.([Buffer.from('{"code":"no"}')], request(json), target())).toBeUndefined();
  });

  it('refuses tools, which an app has of its own', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const json = { messages: [{ role: 'user', content: 'hi' }], tools };
    expect(() => dify.chat.toUpstream(request(json), target())).toThrow(RequestRejected);
  });
});

describe("Dify's answer", () => {
  it('whole states its usage, and shows thoughts between tags', () => {
    const answer = '<details open> <summary> Thinking... </summary>\nHm.</details>Hello';
    const json = {
      event: 'message',
      message_id: 'm',
      answer,
      metadata: { usage: { prompt_tokens: 3, completion_tokens: 4 } },
    };
    const reply = dify.chat.fromReply(Buffer.from(JSON.stringify(json)), replyContext());
    expect(JSON.parse(String(reply.body))).toMatchObject({
      id: 'm',
      choices: [{ message: { content: '<think>Hm.</think>Hello' }, finish_reason: 'stop' }],
    });
    expect(reply.usage).toMatchObject({ inputTokens: 3, outputTokens: 4 });
  });

  it.each([[[]], [[3, 700, 41]]])('streams a workflow, cut at %j', (sizes) => {
    const stream = dify.chat.openStream(replyContext({ includeUsage: true }));
    const chunks = dataOf(play(stream, recorded('chatflow'), sizes));
    expect(contentOf(chunks, 'content')).toBe('<think>They greet me.</think>Hello, Ünïverse.');
    expect(contentOf(chunks, 'reasoning_content')).toBe(
      'Workflow: wf-7\nNode: llm\nNode: llm succeeded\nWorkflow: wf-7 succeeded\n',
    );
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 30, completion_tokens: 10 });
    const quiet = dataOf(play(dify.chat.openStream(replyContext({ hidesSteps: true })), recorded('chatflow'), sizes));
    expect(contentOf(quiet, 'content')).toBe(contentOf(chunks, 'content'));
    expect(contentOf(quiet, 'reasoning_content')).toBe('');
    expect([stream.isComplete, stream.usage()?.outputTokens]).toEqual([true, 10]);
  });

  it('streams an agent, whose last event repeats the whole text', () => {
    const stream = dify.chat.openStream(replyContext());
    const chunks = dataOf(play(stream, recorded('agent')));
    expect(contentOf(chunks, 'content')).toBe('I look it up. It is dry.');
    expect(contentOf(chunks, 'reasoning_content')).toBe('Tool: weather\n');
    expect(stream.usage()).toMatchObject({ inputTokens: 900, outputTokens: 21 });
  });

  it('reports an error within a stream, and one in place of a stream', () => {
    const stream = dify.chat.openStream(replyContext());
    play(stream, recorded('error'));
    expect(stream.fault).toMatchObject({ code: 'provider_quota_exceeded', type: 'dify_error' });
    expect(stream.fault?.message).toContain('exhausted');
    const body = '{"code":"unauthorized","message":"Access token is invalid","status":401}';
    const told = classifyError({ status: 401, body: dify.readError(body), channelType: 37 });
    expect(told).toMatchObject({ class: 'credential', message: 'Access token is invalid', code: 'unauthorized' });
    expect(dify.chat.fromReply(Buffer.from('{}'), replyContext()).fault).toBeDefined();
  });

  it('sends nothing of an app that fails before its first word, where steps are hidden', () => {
    const stream = dify.chat.openStream(replyContext({ hidesSteps: true }));
    const started = 'data: {"event":"workflow_started","message_id":"m1","data":{"workflow_id":"w1"}}\n\n';
    const [, failed = ''] = recorded('error').toString().split('\n\n');
    expect(play(stream, Buffer.from(`${started}${failed}\n\n`))).toBe('');
    expect(stream.fault).toMatchObject({ code: 'provider_quota_exceeded' });
  });
});

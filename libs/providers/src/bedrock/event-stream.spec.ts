import { describe, expect, it } from '@jest/globals';
import { awsChunk, awsException, awsMessage } from '@tollgate/testing';
import fc from 'fast-check';
import { dataOf, play, replyContext } from '../../test/factories.js';
import { AwsEventStream } from './event-stream.js';
import { bedrock } from './index.js';

const text = (words: string): string =>
  JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } });
const usage = { input_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
const opening = awsChunk(
  JSON.stringify({
    type: 'message_start',
    message: { id: 'm', type: 'message', role: 'assistant', model: 'c', usage },
  }),
);
const closing = [
  awsChunk('{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}'),
  awsChunk('{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":3}}'),
];
const conversation = Buffer.concat([opening, awsChunk(text('Grüße, ')), awsChunk(text('世界')), ...closing]);

describe('the event stream of AWS', () => {
  it('gives the events of Anthropic that it carries, wherever it is cut', () => {
    const whole = play(bedrock.messages.openStream(replyContext()), conversation);
    expect(whole).toMatch(/^event: message_start\ndata: \{"type":"message_start"/);
    expect(whole).toMatch(/event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 60 }), (sizes) => {
        expect(play(bedrock.messages.openStream(replyContext()), conversation, sizes)).toBe(whole);
      }),
    );
    const byByte = Array.from({ length: conversation.length }, () => 1);
    expect(play(bedrock.messages.openStream(replyContext()), conversation, byByte)).toBe(whole);
  });

  it('is read for its usage, and as chat', () => {
    const stream = bedrock.chat.openStream(replyContext({ includeUsage: true }));
    const frames = dataOf(play(stream, conversation));
    expect(stream.usage()).toMatchObject({ semantics: 'anthropic', inputTokens: 3, outputTokens: 2 });
    expect(stream.text().text).toBe('Grüße, 世界');
    expect(frames.at(-1)).toMatchObject({ usage: { prompt_tokens: 3, completion_tokens: 2 } });
  });

  it('is cut when its last message is not whole', () => {
    const stream = bedrock.messages.openStream(replyContext());
    stream.push(conversation.subarray(0, conversation.length - 5));
    stream.close();
    expect(stream.isDone).toBe(false);
  });

  it.each([
    ['throttlingException', 'rate-limited', 'rate_limit_error'],
    ['modelTimeoutException', 'timeout', 'timeout_error'],
    ['validationException', 'invalid', 'invalid_request_error'],
    ['internalServerException', 'upstream', 'api_error'],
  ])('ends at %s, which is classified %s', (exception, kind, type) => {
    const stream = bedrock.messages.openStream(replyContext());
    stream.push(Buffer.concat([opening, awsException(exception, 'slow down'), awsChunk(text('never'))]));
    expect(stream.fault).toMatchObject({ class: kind, type, message: 'slow down' });
    expect(stream.text().text).toBe('');
  });

  it('ends at an error that names no exception', () => {
    const stream = bedrock.chat.openStream(replyContext());
    stream.push(
      awsMessage({ ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'no' }, Buffer.alloc(0)),
    );
    expect(stream.fault).toMatchObject({ class: 'upstream', message: 'no' });
  });

  it('ends where a sum, a length or a header is wrong, and never takes memory for a length that is a lie', () => {
    const good = awsChunk(text('x'));
    for (const at of [0, 2, 5, 9, 14, good.length - 30, good.length - 1]) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ 0x41;
      const stream = bedrock.messages.openStream(replyContext());
      stream.push(Buffer.concat([opening, bad, good]));
      expect([at, stream.fault?.class]).toEqual([at, 'upstream']);
      expect(stream.push(good)).toBeUndefined();
    }
    const long = new AwsEventStream(good.length - 1);
    expect(String(long.push(good))).toMatch(/^event: error\n/);
    expect(long.isBetweenEvents).toBe(true);
  });

  it('passes over what carries no event: other types, headers that are no text', () => {
    const framing = new AwsEventStream();
    expect(framing.push(awsMessage({ ':message-type': 'event', ':event-type': 'other' }, Buffer.from('{}')))).toEqual(
      [],
    );
    expect(framing.push(awsMessage({ ':message-type': 'event', ':event-type': 'chunk' }, Buffer.from('{}')))).toEqual(
      [],
    );
    const loose = awsChunk('{ "index": 0,\n "type": "ping" }');
    expect(String(framing.push(loose)[0])).toBe('event: ping\ndata: {"index":0,"type":"ping"}\n\n');
  });
});

import { describe, expect, it } from '@jest/globals';
import { maskedError } from './masked-error.js';

const masked = (event: unknown): unknown =>
  JSON.parse(maskedError(Buffer.from(JSON.stringify(event)), ['house-key']).toString());

describe('maskedError', () => {
  it('masks what an error event says of the account, and leaves its shape', () => {
    const error = { type: 'x', message: 'key sk-upstream-secret-0123456789 bad', code: null, param: 'house-key' };
    expect(masked({ type: 'error', event_id: 'e1', error: { ...error, event_id: 'client-event-1' } })).toEqual({
      type: 'error',
      event_id: 'e1',
      error: { type: 'x', message: 'key *** bad', code: null, param: '***', event_id: 'client-event-1' },
    });
    expect(masked({ type: 'error', message: 'no house-key' })).toEqual({ type: 'error', message: 'no ***' });
    expect(masked({ type: 'error', error: { details: [{ reason: 'of house-key' }] } })).toEqual({
      type: 'error',
      error: { details: [{ reason: 'of ***' }] },
    });
  });

  it('keeps the ids of events, except one that holds a value of the channel', () => {
    const id = 'a1'.repeat(20);
    expect(masked({ type: 'error', event_id: 'house-key', error: { message: 'm', event_id: id } })).toEqual({
      type: 'error',
      event_id: '***',
      error: { message: 'm', event_id: id },
    });
  });

  it('shows only the first texts of one error', () => {
    const details = Array.from({ length: 5000 }, (_, index) => `detail ${index}`);
    const { error } = masked({ type: 'error', error: { message: 'm', details } }) as {
      error: { message: string; details: string[] };
    };
    expect([error.message, error.details[0], error.details.at(-1)]).toEqual(['m', 'detail 0', '***']);
  });

  it('masks the errors that stand in events of other types, and nothing else of those', () => {
    const error = { type: 'server_error', code: 'x', message: 'at https://upstream.example/v1 with house-key' };
    const failed = { id: 'resp_house-key', status: 'failed', status_details: { type: 'failed', error } };
    const [masked1, masked2] = [
      { type: 'response.done', event_id: 'e1', response: failed },
      { type: 'conversation.item.input_audio_transcription.failed', item_id: 'house-key', error },
    ].map(masked) as [{ response: typeof failed }, { item_id: string; error: typeof error }];
    expect(masked1.response).toMatchObject({ id: 'resp_house-key', status: 'failed' });
    expect(masked2).toMatchObject({ item_id: 'house-key', error: { type: 'server_error', code: 'x' } });
    for (const told of [masked1.response.status_details.error, masked2.error])
      expect(told.message).not.toMatch(/house-key|upstream\.example/);
    expect(masked({ type: 'response.done', output: [{ error: 'no house-key' }, { text: 'house-key' }] })).toEqual({
      type: 'response.done',
      output: [{ error: 'no ***' }, { text: 'house-key' }],
    });
  });

  it.each([
    ['an event of another type', '{"type": "response.done","error":null,"text":"house-key"}'],
    ['an error without a secret', '{"type": "error", "error":{"message":"too long"}}'],
    ['what is no event', '"error" of house-key'],
    ['a list', '["error","house-key"]'],
  ])('passes %s on to the last byte', (_, text) => {
    const frame = Buffer.from(text);
    expect(maskedError(frame, ['house-key'])).toBe(frame);
  });
});

import { describe, expect, it } from '@jest/globals';
import { readSongOrder } from './song-order.js';

describe('readSongOrder', () => {
  it.each([
    ['music', { prompt: 5 }, 'field prompt is invalid'],
    ['music', { prompt: 'la', mv: 5 }, 'field mv is invalid'],
    ['music', { prompt: 'la', tags: ['pop'] }, 'field tags is invalid'],
    ['music', { prompt: 'la', make_instrumental: 'yes' }, 'field make_instrumental is invalid'],
    ['music', { continue_clip_id: 'c', task_id: 't', continue_at: '3' }, 'field continue_at is invalid'],
    ['lyrics', { prompt: {} }, 'field prompt is invalid'],
    ['lyrics', {}, 'prompt_empty'],
    ['dance', { prompt: 5 }, 'invalid_action'],
  ])('refuses %s with %j', (action, body, fault) => {
    expect(() => readSongOrder(action, body)).toThrow(fault);
  });

  it('takes null for a field that is absent, and fields that it does not know', () => {
    const body = { prompt: 'la', mv: null, title: null, make_instrumental: null, continue_at: null, wait: 5 };
    expect(readSongOrder('music', body)).toMatchObject({ prompt: 'la', body: { mv: 'chirp-v3-0', wait: 5 } });
    expect(readSongOrder('MUSIC', { continue_clip_id: 'c', task_id: 17, continue_at: 3.5 })).toMatchObject({
      originId: '17',
    });
  });
});

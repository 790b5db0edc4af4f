import { describe, expect, it } from '@jest/globals';
import { CHANNEL_ACCOUNT_UNUSABLE, emptyTaskUpdate, type RoutedChannel } from '@tollgate/contracts';
import { readDrawingAnswer, readSongAnswer, type TaskAnswer } from './task-answers.js';
import { attemptOf } from './task-attempt.js';
import { drawingFault } from './task-fault.js';

const channel = { id: 7, type: 2 } as RoutedChannel;
const reply = (body: unknown): Buffer => Buffer.from(JSON.stringify(body));
const drawing = (code: number, status = 200): TaskAnswer =>
  readDrawingAnswer(status, reply({ code, description: 'no' }), 'IMAGINE');
const of = (answer: TaskAnswer, choosesAccount = false) =>
  attemptOf(channel, answer, { durationMs: 12.4, choosesAccount });

describe('the attempt of a submission', () => {
  it('states its channel and duration', () => {
    expect(of(drawing(1))).toEqual({ channelId: 7, channelType: 2, durationMs: 12, status: 200, class: 'ok' });
  });

  it.each([
    ['wrong', 4, 'invalid'],
    ['banned', 24, 'invalid'],
    ['too many in the queue', 23, 'rate-limited'],
    ['saturated', 30, 'rate-limited'],
    ['unknown', 5, 'upstream'],
  ])('that is %s is no evidence against the channel', (_, code, kind) => {
    expect(of(drawing(code))).toMatchObject({ class: kind, status: 200, errorCode: String(code), message: 'no' });
  });

  it('blames the account of a proxy that has none, unless the client selected the accounts', () => {
    const told = { class: 'credential', errorCode: '3', message: 'No available account instance' };
    expect(of(drawing(3))).toMatchObject({ ...told, errorType: CHANNEL_ACCOUNT_UNUSABLE });
    const chosen = of(drawing(3), true);
    expect([chosen.class, chosen.errorType]).toEqual(['credential', undefined]);
  });

  it('blames the account where the key is refused, for drawings and songs', () => {
    const song = readSongAnswer(401, reply({ code: 'unauthorized', message: 'key is wrong' }));
    for (const answer of [drawing(4, 401), song])
      expect(of(answer)).toMatchObject({ class: 'credential', status: 401, errorType: CHANNEL_ACCOUNT_UNUSABLE });
    expect(of(song)).toMatchObject({ errorCode: 'unauthorized', message: 'key is wrong' });
  });

  it('has no status where the upstream did not answer, or too late', () => {
    const silent = {
      isAccepted: false,
      status: 0,
      upstreamId: '',
      code: 5,
      news: emptyTaskUpdate,
      fault: drawingFault('x', 5),
    };
    expect(of(silent)).toMatchObject({ class: 'network', status: 0, errorCode: 'do_request_failed' });
    expect(of({ ...silent, isLate: true })).toMatchObject({ class: 'timeout', status: 0 });
  });
});

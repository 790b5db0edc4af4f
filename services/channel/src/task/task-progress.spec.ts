import { describe, expect, it } from '@jest/globals';
import type { TaskUpdate } from '@tollgate/contracts';
import fc from 'fast-check';
import { applyUpdate, channelGone, isEnd, type TaskState, withoutChannel } from './task-progress.js';

const nothing: TaskUpdate = {
  status: '',
  progress: '',
  startedAt: 0,
  finishedAt: 0,
  failReason: '',
  imageUrl: '',
  promptEn: '',
  description: '',
  state: '',
  buttons: '',
  properties: '',
  data: '',
};
const known = (part: Partial<TaskState> = {}): TaskState => ({
  ...nothing,
  status: 'SUBMITTED',
  progress: '0%',
  ...part,
});
const told = (part: Partial<TaskUpdate>): TaskUpdate => ({ ...nothing, ...part });

describe('withNews', () => {
  it('applies progress to a task', () => {
    const next = applyUpdate(known(), told({ status: 'IN_PROGRESS', progress: '40%', startedAt: 5 }));
    expect(next).toMatchObject({ status: 'IN_PROGRESS', progress: '40%', startedAt: 5 });
  });

  it('ignores an older state', () => {
    const far = known({ status: 'IN_PROGRESS', progress: '80%' });
    expect(applyUpdate(far, told({ status: 'SUBMITTED', progress: '20%' }))).toBeUndefined();
  });

  it('ignores updates of a finished task', () => {
    const failed = known({ status: 'FAILURE', progress: '100%', failReason: 'banned' });
    expect(applyUpdate(failed, told({ status: 'SUCCESS', progress: '100%' }))?.status ?? 'FAILURE').toBe('FAILURE');
  });

  it('treats a failure reason without a status as a failure', () => {
    expect(applyUpdate(known(), told({ status: 'IN_PROGRESS', failReason: 'banned' }))).toMatchObject({
      status: 'FAILURE',
      progress: '100%',
      failReason: 'banned',
    });
  });

  it('reports no change for the same status or one that no task has', () => {
    expect(applyUpdate(known(), told({ status: 'SUBMITTED', progress: '0%' }))).toBeUndefined();
    expect(applyUpdate(known(), told({ status: 'PAUSED' }))).toBeUndefined();
  });

  it('stores that the upstream does not know the status, until it knows more', () => {
    const unknown = applyUpdate(known({ status: 'NOT_START' }), told({ status: 'UNKNOWN', progress: '12%' }));
    expect(unknown).toMatchObject({ status: 'UNKNOWN', progress: '12%' });
    expect(applyUpdate(unknown!, told({ status: 'IN_PROGRESS' }))).toMatchObject({ status: 'IN_PROGRESS' });
    expect(applyUpdate(known({ status: 'IN_PROGRESS' }), told({ status: 'UNKNOWN' }))).toBeUndefined();
  });

  it('never goes backward, in any order of updates', () => {
    const status = fc.constantFrom('', 'NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE', 'x');
    const percent = fc.integer({ min: 0, max: 100 }).map((value) => `${value}%`);
    fc.assert(
      fc.property(fc.array(fc.record({ status, progress: percent })), (news) => {
        let now = known();
        for (const one of news) {
          const next = applyUpdate(now, told(one)) ?? now;
          if (isEnd(now.status)) expect(next.status).toBe(now.status);
          expect(Number.parseInt(next.progress)).toBeGreaterThanOrEqual(Number.parseInt(now.progress));
          now = next;
        }
      }),
    );
  });
});

it('hides the channel from users in the reason of a failure', () => {
  expect(withoutChannel(channelGone(7))).toBe('获取渠道信息失败，请联系管理员');
  expect(withoutChannel('failed, 12')).toBe('failed, 12');
});

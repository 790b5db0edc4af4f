import { describe, expect, it } from '@jest/globals';
import type { TaskUpdate } from '@tollgate/contracts';
import fc from 'fast-check';
import { isEnd, type TaskState, applyUpdate } from './task-progress.js';

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
  it('takes a task forward', () => {
    const next = applyUpdate(known(), told({ status: 'IN_PROGRESS', progress: '40%', startedAt: 5 }));
    expect(next).toMatchObject({ status: 'IN_PROGRESS', progress: '40%', startedAt: 5 });
  });

  it('never takes one back', () => {
    const far = known({ status: 'IN_PROGRESS', progress: '80%' });
    expect(applyUpdate(far, told({ status: 'SUBMITTED', progress: '20%' }))).toBeUndefined();
  });

  it('leaves an end as it is, whatever is told later', () => {
    const failed = known({ status: 'FAILURE', progress: '100%', failReason: 'banned' });
    expect(applyUpdate(failed, told({ status: 'SUCCESS', progress: '100%' }))?.status ?? 'FAILURE').toBe('FAILURE');
  });

  it('takes a reason without a status for a failure', () => {
    expect(applyUpdate(known(), told({ status: 'IN_PROGRESS', failReason: 'banned' }))).toMatchObject({
      status: 'FAILURE',
      progress: '100%',
      failReason: 'banned',
    });
  });

  it('says nothing new where nothing is', () => {
    expect(applyUpdate(known(), told({ status: 'SUBMITTED', progress: '0%' }))).toBeUndefined();
    expect(applyUpdate(known(), told({ status: 'UNKNOWN' }))).toBeUndefined();
  });

  it('goes forward only, in any order of news', () => {
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

import { describe, expect, it } from '@jest/globals';
import { judgeTest, type TestOutcome } from './test-verdict.js';

const outcome: TestOutcome = {
  success: true,
  message: '',
  model: 'm',
  responseTimeMs: 400,
  startedAt: new Date(0),
  isCredentialFault: false,
};
const refused = { ...outcome, success: false, message: 'Incorrect API key', isCredentialFault: true };
const slow = { ...outcome, responseTimeMs: 6240 };
const broken = { ...outcome, success: false, message: 'overloaded' };
const policy = { disable: true, enable: true, thresholdSeconds: 5 };
const enabled = { status: 1, autoBan: true };

describe('judgeTest', () => {
  it.each<[name: string, channel: Parameters<typeof judgeTest>[0], result: TestOutcome, rules: typeof policy, expected: unknown]>([
    ['a good channel stays', enabled, outcome, policy, undefined],
    ['a refused key switches off', enabled, refused, policy, { to: 3, reason: 'Incorrect API key' }],
    ['an ordinary failure does not', enabled, broken, policy, undefined],
    ['slowness switches off', enabled, slow, policy, { to: 3, reason: '响应时间 6.24s 超过阈值 5.00s' }],
    ['a threshold of 0 is no limit', enabled, slow, { ...policy, thresholdSeconds: 0 }, undefined],
    ['not without the option', enabled, refused, { ...policy, disable: false }, undefined],
    ['not a channel that opted out', { ...enabled, autoBan: false }, refused, policy, undefined],
    ['a recovered channel comes back', { ...enabled, status: 3 }, outcome, policy, { to: 1, reason: '' }],
    ['not while it is slow', { ...enabled, status: 3 }, slow, policy, undefined],
    ['not while it fails', { ...enabled, status: 3 }, broken, policy, undefined],
    ['not without the option to enable', { ...enabled, status: 3 }, outcome, { ...policy, enable: false }, undefined],
    ['a person\'s decision stands', { ...enabled, status: 2 }, outcome, policy, undefined],
  ])('%s', (...[, channel, result, rules, expected]) => {
    expect(judgeTest(channel, result, rules)).toEqual(expected);
  });
});

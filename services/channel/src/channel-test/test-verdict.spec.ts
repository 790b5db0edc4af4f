import { describe, expect, it } from '@jest/globals';
import { judgeTest, type TestOutcome } from './test-verdict.js';

const outcome: TestOutcome = {
  success: true,
  message: '',
  model: 'm',
  responseTimeMs: 400,
  startedAt: new Date(0),
  wasSent: true,
  isCredentialFault: false,
};
const refused = { ...outcome, success: false, message: 'Incorrect API key', isCredentialFault: true };
const slow = { ...outcome, responseTimeMs: 6240 };
const broken = { ...outcome, success: false, message: 'overloaded' };
const policy = { disable: true, enable: true, thresholdSeconds: 5 };
const enabled = { status: 1, autoBan: true, setting: '' };
const patient = { setting: '{"test_threshold":10}' };

describe('judgeTest', () => {
  it.each([
    { name: 'a good channel stays', expected: undefined },
    { name: 'a refused key switches off', result: refused, expected: { to: 3, reason: 'Incorrect API key' } },
    { name: 'an ordinary failure does not', result: broken, expected: undefined },
    { name: 'slowness switches off', result: slow, expected: { to: 3, reason: '响应时间 6.24s 超过阈值 5.00s' } },
    { name: 'a threshold of 0 is no limit', result: slow, rules: { thresholdSeconds: 0 }, expected: undefined },
    { name: "a channel's own threshold counts", channel: patient, result: slow, expected: undefined },
    {
      name: 'also where it is shorter',
      channel: { setting: '{"test_threshold":0.3}' },
      expected: { to: 3, reason: '响应时间 0.40s 超过阈值 0.30s' },
    },
    { name: 'one that is unreadable does not', channel: { setting: '{"test_threshold":"x"}' }, expected: undefined },
    { name: 'not without the option', result: refused, rules: { disable: false }, expected: undefined },
    { name: 'not a channel that opted out', channel: { autoBan: false }, result: refused, expected: undefined },
    { name: 'a recovered channel comes back', channel: { status: 3 }, expected: { to: 1, reason: '' } },
    { name: 'not while it is slow', channel: { status: 3 }, result: slow, expected: undefined },
    { name: 'but within its own', channel: { ...patient, status: 3 }, result: slow, expected: { to: 1, reason: '' } },
    { name: 'not while it fails', channel: { status: 3 }, result: broken, expected: undefined },
    { name: 'not without the option to enable', channel: { status: 3 }, rules: { enable: false }, expected: undefined },
    { name: "a person's decision stands", channel: { status: 2 }, expected: undefined },
  ])('$name', ({ channel, result = outcome, rules, expected }) => {
    expect(judgeTest({ ...enabled, ...channel }, result, { ...policy, ...rules })).toEqual(expected);
  });
});

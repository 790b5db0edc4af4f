import { describe, expect, it } from '@jest/globals';
import { policyOf, settingFault, statusFault, withPolicy } from './channel-settings.js';

describe('extra settings of a channel', () => {
  it.each([
    ['', 'stop'],
    ['{"proxy":"x"}', 'stop'],
    ['{"abort_policy":"reported"}', 'reported'],
    ['{"abort_policy":"wait"}', undefined],
    ['{"abort_policy":null}', undefined],
    ['{', undefined],
    ['[]', undefined],
  ])('read from %s the policy %p', (setting, policy) => {
    expect(policyOf(setting)).toBe(policy);
  });

  it.each([
    ['', undefined],
    ['{"proxy":"x","force_format":true,"thinking_to_content":false,"abort_policy":"drain"}', undefined],
    ['{"proxy":null,"force_format":null}', undefined],
    ['{"abort_policy":"wait"}', 'policy'],
    ['{"abort_policy":null}', 'policy'],
    ['{"force_format":"false"}', 'switch'],
    ['{"thinking_to_content":1}', 'switch'],
    ['{"proxy":5}', 'proxy'],
    ['{"first_byte_timeout":1.5,"idle_timeout":null,"total_timeout":86400}', undefined],
    ['{"idle_timeout":"30"}', 'timeout'],
    ['{"total_timeout":-1}', 'timeout'],
    ['{"forward_headers":["X-Title","http-referer"],"test_threshold":0}', undefined],
    ['{"forward_headers":null,"test_threshold":null}', undefined],
    ['{"forward_headers":["Cookie"]}', 'headers'],
    ['{"forward_headers":["anthropic-beta"]}', 'headers'],
    ['{"forward_headers":["a b"]}', 'headers'],
    ['{"forward_headers":[1]}', 'headers'],
    ['{"test_threshold":"5"}', 'threshold'],
  ])('validate %s as %p', (setting, fault) => {
    expect(settingFault(setting)).toBe(fault);
  });

  it('keep all other settings when the policy changes, and do not store the default', () => {
    const drained = withPolicy('{"proxy":"p"}', 'drain');
    expect(JSON.parse(drained)).toEqual({ proxy: 'p', abort_policy: 'drain' });
    expect(JSON.parse(withPolicy(drained, 'stop'))).toEqual({ proxy: 'p' });
    expect(withPolicy('{"abort_policy":"drain"}', 'stop')).toBe('');
  });

  it.each([
    ['', undefined],
    ['{"400":"500","404":429}', undefined],
    ['{"400":"x"}', 'target'],
    ['{"400":[500]}', 'target'],
    ['{"400":100}', 'target'],
    ['{"x":"500"}', 'source'],
  ])('validate the status mapping %s as %p', (mapping, fault) => {
    expect(statusFault(mapping)).toBe(fault);
  });
});

import { describe, expect, it } from '@jest/globals';
import { settingOf } from '../../api/self.api.js';
import { formOf, isHttps, toSetting, withAcceptUnset } from './notify-form.js';

describe('notification setting', () => {
  it('starts with the smallest threshold, or with the documented one when a setting without a threshold is stored', () => {
    expect(formOf(settingOf('')).threshold).toBe('100000');
    expect(formOf({ notify_type: 'email' }).threshold).toBe('500000');
    expect(formOf({ notify_type: 'email', quota_warning_threshold: 7 }).threshold).toBe('7');
  });

  it('treats invalid JSON as an empty setting', () => {
    expect(settingOf('{')).toEqual({});
    expect(settingOf('null')).toEqual({});
  });

  it('sends a secret only when one is typed or removed', () => {
    const form = { ...formOf({ notify_type: 'webhook', webhook_url: 'https://a.b/c' }), type: 'webhook' as const };
    expect(toSetting(form, false)).not.toHaveProperty('webhook_secret');
    expect(toSetting({ ...form, secret: 's' }, false)).toMatchObject({ webhook_secret: 's' });
    expect(toSetting({ ...form, clearSecret: true }, false)).toMatchObject({ webhook_secret: '' });
    expect(toSetting({ ...form, secret: 's', clearSecret: true }, false)).toMatchObject({ webhook_secret: 's' });
  });

  it('sends the fields of the other card as stored, since the call replaces the whole setting', () => {
    expect(toSetting({ ...formOf({}), email: ' me@a.b ' }, true)).toEqual({
      notify_type: 'email',
      quota_warning_threshold: 100_000,
      accept_unset_model_ratio_model: true,
      notification_email: 'me@a.b',
    });
    expect(
      withAcceptUnset({ notify_type: 'webhook', webhook_url: 'https://a.b', quota_warning_threshold: 9 }, true),
    ).toEqual({
      notify_type: 'webhook',
      quota_warning_threshold: 9,
      accept_unset_model_ratio_model: true,
      webhook_url: 'https://a.b',
    });
  });

  it('takes only https addresses', () => {
    expect(['https://a.b/c', 'http://a.b', 'a.b', 'https://'].map(isHttps)).toEqual([true, false, false, false]);
  });
});

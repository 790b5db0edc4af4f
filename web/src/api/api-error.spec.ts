import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import i18n from 'i18next';
import { startI18n, switchLanguage } from '../app/i18n/index.js';
import { loadDictionary } from '../shell/dictionaries.js';
import { texts as en } from '../app/i18n/errors/en.js';
import { texts as zh } from '../app/i18n/errors/zh.js';
import { describeError, describeField } from './api-error.js';

const taken = { status: 200, code: 'username-taken', kind: 'conflict' as const, message: 'as documented' };

describe('describeError', () => {
  it('shows the message of the server in Chinese, and the text of its code in English', async () => {
    await startI18n(loadDictionary, 'zh');
    expect(describeError(taken)).toBe('as documented');
    await i18n.changeLanguage('en');
    await waitFor(() => expect(describeError(taken)).toBe(en['username-taken']));
  });

  it('shows the message of the server for an unknown code', async () => {
    await i18n.changeLanguage('en');
    expect(describeError({ ...taken, code: 'no-such-code' })).toBe('as documented');
  });

  it('has fixed texts for some statuses where the code names no cause', async () => {
    await i18n.changeLanguage('en');
    for (const code of ['too-many-requests', undefined])
      expect(describeError({ status: 429, message: 'x', code })).toBe('Error: too many requests. Try again later.');
    expect(describeError({ status: 500, message: 'x', code: 'internal' })).toBe(
      'Error: the server failed. Tell your administrator.',
    );
    expect(describeError({ status: 502, message: 'HTTP 502' })).toBe('Error: HTTP 502');
  });

  it.each([
    [500, 'models-not-fetched', { reason: 'wrong key' }, 'The list of models could not be fetched: wrong key'],
    [429, 'too-many-orders', undefined, en['too-many-orders']],
  ])('names the cause of a reply with status %d that has one (%s)', async (status, code, params, text) => {
    await i18n.changeLanguage('en');
    expect(describeError({ status, code, params, message: 'as documented' })).toBe(text);
    await i18n.changeLanguage('zh');
    expect(describeError({ status, code, params, message: 'as documented' })).toBe('as documented');
  });

  it('tells the variable that allows an address to those who can set it', async () => {
    await i18n.changeLanguage('en');
    const refused = { status: 200, code: 'address-not-allowed', message: 'as documented' };
    expect(describeError({ ...refused, params: { host: '10.0.0.1' } })).toBe('The address 10.0.0.1 may not be called');
    const params = { host: '10.0.0.1', variable: 'ALLOWED', context: 'operator' };
    expect(describeError({ ...refused, params })).toContain('add its host or network to ALLOWED');
  });

  it('says in Chinese, too, what to do where the documented message does not', async () => {
    await startI18n(loadDictionary, 'zh');
    const foreign = { status: 403, code: 'oauth-state-wrong', message: 'state is empty or not same' };
    await waitFor(() => expect(describeError(foreign)).toBe(zh['oauth-state-wrong']));
  });
});

describe('describeField', () => {
  const field = { path: 'email', code: 'email-taken', params: { reason: 'the reason of the server' } };

  it.each([
    ['zh', 'the reason of the server'],
    ['en', en['email-taken']],
  ])('says what is wrong with a field whose code is not the error’s own (%s)', async (language, text) => {
    await startI18n(loadDictionary, 'zh');
    await switchLanguage(language as 'zh' | 'en');
    expect(describeField(taken, field)).toBe(text);
  });
});

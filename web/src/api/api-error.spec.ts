import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import i18n from 'i18next';
import { startI18n } from '../app/i18n/index.js';
import { loadDictionary } from '../shell/dictionaries.js';
import { texts as en } from '../app/i18n/errors/en.js';
import { describeError } from './api-error.js';

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

  it('has fixed texts for some statuses, whatever the code', async () => {
    await i18n.changeLanguage('en');
    expect(describeError({ status: 429, message: 'x', code: 'too-many-requests' })).toBe(
      'Error: too many requests. Try again later.',
    );
    expect(describeError({ status: 502, message: 'HTTP 502' })).toBe('Error: HTTP 502');
  });
});

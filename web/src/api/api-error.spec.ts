import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import i18n from 'i18next';
import { startI18n } from '../app/i18n/index.js';
import { loadDictionary } from '../shell/dictionaries.js';
import { texts as en } from '../app/i18n/errors/en.js';
import { describeError } from './api-error.js';

const taken = { status: 200, code: 'username-taken', kind: 'conflict' as const, message: 'as documented' };

describe('describeError', () => {
  it('lets the server speak in Chinese and says it in English by the code', async () => {
    await startI18n(loadDictionary, 'zh');
    expect(describeError(taken)).toBe('as documented');
    await i18n.changeLanguage('en');
    await waitFor(() => expect(describeError(taken)).toBe(en['username-taken']));
  });

  it('falls back to the sentence of the server for a code it does not know', async () => {
    await i18n.changeLanguage('en');
    expect(describeError({ ...taken, code: 'no-such-code' })).toBe('as documented');
  });

  it('has fixed words for the statuses of the spec, whatever the code', async () => {
    await i18n.changeLanguage('en');
    expect(describeError({ status: 429, message: 'x', code: 'too-many-requests' })).toBe(
      'Error: too many requests. Try again later.',
    );
    expect(describeError({ status: 502, message: 'HTTP 502' })).toBe('Error: HTTP 502');
  });
});

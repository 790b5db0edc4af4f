import { describe, expect, it } from '@jest/globals';
import { isChannelList, toImport } from './import-form.js';

describe('the import of an invoice', () => {
  it('accepts channel ids separated by commas, also full-width ones', () => {
    expect(['3', '3,5', ' 3 ， 5 '].map(isChannelList)).toEqual([true, true, true]);
    expect(['', '3,', 'a', '3;5'].map(isChannelList)).toEqual([false, false, false, false]);
  });

  it('sends column names only for a format that uses them', () => {
    const form = { name: ' November ', channels: '3，5', columns: '{"day":"d","model":"m"}' };
    expect(toImport({ ...form, format: 'openai' }, 'a')).toEqual({
      ...{ name: 'November', format: 'openai', channel_ids: [3, 5], csv: 'a' },
    });
    expect(toImport({ ...form, format: 'columns' }, 'a').columns).toEqual({ day: 'd', model: 'm' });
  });
});

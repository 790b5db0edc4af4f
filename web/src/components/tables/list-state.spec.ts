import { describe, expect, it } from '@jest/globals';
import { readFilter, withoutInvalid, writeFilter } from './list-state.js';

const spec = { defaults: { keyword: '', type: '0' }, accept: { type: /^[0-5]$/ } };
const params = (query: string) => new URLSearchParams(query);

describe('filter in the address', () => {
  it('reads known parameters and drops invalid ones', () => {
    expect(readFilter(spec, params('keyword=a%26b&type=3'))).toEqual({ keyword: 'a&b', type: '3' });
    expect(readFilter(spec, params('type=x&other=1'))).toEqual({ keyword: '', type: '0' });
  });

  it('loses its invalid parameters, and no others', () => {
    expect(withoutInvalid(spec, params('tab=x&keyword=a%26b&type=99&p=-1')).toString()).toBe('tab=x&keyword=a%26b');
    expect(withoutInvalid(spec, params('type=3&p=2&edit=x')).toString()).toBe('type=3&p=2&edit=x');
  });

  it('omits defaults, keeps other parameters and returns to page one', () => {
    expect(writeFilter(spec, { keyword: '', type: '2' }, params('keyword=a&p=4&tab=x')).toString()).toBe(
      'tab=x&type=2',
    );
  });
});

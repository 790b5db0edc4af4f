import { describe, expect, it } from '@jest/globals';
import { invalidNames, readFilter, withoutInvalid, writeFilter } from './list-state.js';

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

  it('names the parameters that it loses', () => {
    expect(invalidNames(spec, params('tab=x&keyword=a&type=99&p=-1'))).toEqual(['type', 'p']);
    expect(invalidNames(spec, params('tab=x&type=3&p=2'))).toEqual([]);
  });

  it('loses a page size that cannot be chosen, and keeps one that can', () => {
    expect(withoutInvalid(spec, params('tab=x&page_size=7')).toString()).toBe('tab=x');
    expect(invalidNames(spec, params('page_size=020'))).toEqual(['page_size']);
    expect(withoutInvalid(spec, params('page_size=20&p=2')).toString()).toBe('page_size=20&p=2');
  });

  it('is read by the names of others as well, and then has its own', () => {
    const understand = (given: URLSearchParams) => params(given.toString().replace('kind=', 'type='));
    const known = { ...spec, understand };
    expect(readFilter(known, params('kind=3')).type).toBe('3');
    expect(withoutInvalid(known, params('kind=3')).toString()).toBe('type=3');
    expect(invalidNames(known, params('kind=3'))).toEqual([]);
    expect(invalidNames(known, params('kind=99'))).toEqual(['type']);
  });

  it('keeps a default without which the rest would mean something else', () => {
    const implied = (given: URLSearchParams) =>
      params(given.has('keyword') && !given.has('type') ? `${given.toString()}&type=5` : given.toString());
    const known = { ...spec, understand: implied };
    expect(writeFilter(known, { keyword: 'a', type: '0' }, params('')).toString()).toBe('keyword=a&type=0');
    expect(writeFilter(known, { keyword: '', type: '0' }, params('keyword=a')).toString()).toBe('');
  });

  it('omits defaults, keeps other parameters and returns to page one', () => {
    expect(writeFilter(spec, { keyword: '', type: '2' }, params('keyword=a&p=4&tab=x')).toString()).toBe(
      'tab=x&type=2',
    );
  });
});

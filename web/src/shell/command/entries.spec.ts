import { describe, expect, it } from '@jest/globals';
import { actionEntries, type Entry, found, pageEntries, requestEntries } from './entries.js';

const t = (key: string): string => key;
const entry = (id: string, words: string, group: Entry['group'] = 'page'): Entry => ({ id, group, name: id, words });

describe('entries of the palette', () => {
  it('offers only pages and actions that the role allows', () => {
    const ids = (role: number): string[] =>
      [...pageEntries(role, {}, t), ...actionEntries(role, t, {})].map(({ id }) => id);
    expect(ids(1)).toEqual(expect.arrayContaining(['page:token', 'page:log', 'action:addToken']));
    expect(ids(1).filter((id) => /channel|user|setting/i.test(id))).toEqual([]);
    expect(ids(10)).toEqual(expect.arrayContaining(['page:channel', 'page:user', 'action:addChannel']));
  });

  it('offers no page that an operator switched off', () => {
    const ids = pageEntries(100, { enable_data_export: false }, t).map(({ id }) => id);
    expect(ids).not.toContain('page:detail');
    expect(ids).not.toContain('page:midjourney');
  });

  it('recognises a pasted request id', () => {
    expect(requestEntries(' 019aa5b2-7c31-7f00-8abc-0123456789ab ', t)[0]?.to).toBe(
      '/log?request_id=019aa5b2-7c31-7f00-8abc-0123456789ab',
    );
    expect(requestEntries('gpt-4o', t)).toEqual([]);
  });

  it('finds by all words in any order, prefixes first', () => {
    const all = [entry('a', 'usage log'), entry('b', 'log of usage'), entry('c', 'tokens')];
    expect(found(all, 'LOG  usage').map(({ id }) => id)).toEqual(['a', 'b']);
    expect(found(all, 'log').map(({ id }) => id)).toEqual(['b', 'a']);
    expect(found(all, ' ')).toEqual([]);
  });

  it('shows a few results of each group', () => {
    const many = Array.from({ length: 20 }, (_, index) => entry(`s${index}`, `price ${index}`, 'setting'));
    const rows = found([...many, entry('p', 'pricing')], 'pric');
    expect(rows).toHaveLength(7);
    expect(rows.map(({ id }) => id)).toContain('p');
  });
});

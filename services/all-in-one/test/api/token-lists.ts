import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Person } from '@tollgate/testing';
import { expectFields, expectErrorReply, expectSuccess, spellings } from './support.js';
import { FIELDS, FORM, type Token, type TokenWorld } from './token-world.js';

/** The two calls that return several tokens. */
export function describeTokenLists(world: TokenWorld): void {
  describe('GET /api/token/', () => {
    let many: Person;
    beforeAll(async () => {
      many = await world.testBed.user('many', 0);
      for (let index = 0; index < 13; index += 1) await world.create({ ...FORM, name: `n${index}` }, many);
    });

    it.each(spellings('/api/token/?p=0&size=5'))('GET %s is a bare list, newest first', async (path) => {
      const reply = await many.call<Token[]>('GET', path);
      expectSuccess(reply);
      expect(reply.body.data.map(({ name }) => name)).toEqual(['n12', 'n11', 'n10', 'n9', 'n8']);
      for (const token of reply.body.data) expectFields(token, FIELDS);
    });

    it.each([
      ['', 0, 10],
      ['p=0', 0, 10],
      ['p=1&size=5', 5, 5],
      ['p=2&size=5', 10, 3],
      ['p=3&size=5', 13, 0],
      ['p=-1&size=5', 0, 5],
      ['p=abc&size=5', 0, 5],
      ['size=0', 0, 10],
      ['size=-1', 0, 10],
      ['size=1000', 0, 13],
      ['size=NaN', 0, 10],
      ['p=99999999999999999999&size=5', 0, 5],
    ])('%s: from %i on, %i of them', async (query, from, length) => {
      const all = await world.list('p=0&size=100', many);
      expect(await world.list(query, many)).toEqual(all.slice(from, from + length));
    });

    it('contains only the tokens of the caller, also for the super administrator', async () => {
      expect(
        (await world.list('p=0&size=100', world.stranger)).some(({ user_id: id }) => id !== world.stranger.id),
      ).toBe(false);
      expect(await world.list('p=0&size=100', world.testBed.root)).toEqual([]);
    });
  });

  describe('GET /api/token/search', () => {
    let finder: Person;
    let keys: Record<string, string>;
    beforeAll(async () => {
      finder = await world.testBed.user('finder', 0);
      for (const name of ['50%off', '50xoff', 'a_b', 'axb', '中文令牌', 'back\\slash'])
        await world.create({ ...FORM, name }, finder);
      keys = Object.fromEntries((await world.list(undefined, finder)).map(({ name, key }) => [name, key]));
      await world.made({ name: '50%off' }, world.stranger);
    });
    const found = async (query: Record<string, string>): Promise<string[]> =>
      (await finder.data<Token[]>('GET', `/api/token/search?${new URLSearchParams(query)}`)).map(({ name }) => name);

    it.each([
      ['50%off', ['50%off']],
      ['%', ['50%off']],
      ['a_b', ['a_b']],
      ['_', ['a_b']],
      ['中文', ['中文令牌']],
      ['\\', ['back\\slash']],
      ['OFF', ['50xoff', '50%off']],
      ['nothing', []],
      ["' or 1=1", []],
    ])('finds by the name %s: %j', async (keyword, names) => {
      expect(await found({ keyword, token: '' })).toEqual(names);
    });

    it('finds by the key, whole or in part, with or without sk-', async () => {
      const key = keys['a_b'] ?? '';
      expect(await found({ keyword: '', token: key })).toEqual(['a_b']);
      expect(await found({ keyword: '', token: `sk-${key}` })).toEqual(['a_b']);
      expect(await found({ keyword: '', token: key.slice(5, 25) })).toEqual(['a_b']);
      expect(await found({ keyword: '', token: `-sk${key}-s` })).toEqual(['a_b']);
      expect((await found({ keyword: '', token: '-ks-' })).length).toBe(6);
      expect(await found({ keyword: 'axb', token: key })).toEqual([]);
      expect(await found({ keyword: '', token: '%' })).toEqual([]);
    });

    it('supports both spellings of the path, and returns all tokens without a query', async () => {
      for (const path of spellings('/api/token/search?keyword=&token=')) {
        expect((await finder.data<Token[]>('GET', path)).length).toBe(6);
      }
    });

    it('refuses a keyword with a NUL character', async () => {
      expectErrorReply(await finder.call('GET', '/api/token/search?keyword=%00'), '无效的参数');
    });

    it('takes the first of two keywords', async () => {
      const rows = await finder.data<Token[]>('GET', '/api/token/search?keyword=axb&keyword=a_b');
      expect(rows.map(({ name }) => name)).toEqual(['axb']);
    });
  });
}

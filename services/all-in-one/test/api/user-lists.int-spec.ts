import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type Person, type TestBed, startTestBed } from '@tollgate/testing';
import { USER_FIELDS } from './fields.js';
import { expectFields, expectErrorReply, expectSuccess, makeAdmin, spellings } from './support.js';

interface UserPage {
  items: Record<string, unknown>[];
  total: number;
  page: number;
  page_size: number;
}

describe('lists of users', () => {
  let testBed: TestBed;
  let root: Person;
  let admin: Person;
  let user: Person;

  beforeAll(async () => {
    testBed = await startTestBed(allServices);
    ({ root } = testBed);
    [admin, user] = await Promise.all([makeAdmin(testBed, 'admin'), testBed.user('user', 500)]);
  }, 120_000);
  afterAll(() => testBed?.close());

  const list = (query = ''): Promise<UserPage> => admin.data('GET', `/api/user/?${query}`);
  const search = (query: string): Promise<UserPage> => admin.data('GET', `/api/user/search?${query}`);

  describe('lists', () => {
    beforeAll(async () => {
      for (let index = 0; index < 12; index += 1)
        await root.data('POST', '/api/user/', { username: `listed${index}`, password: '12345678' });
    });

    it.each([...spellings('/api/user/'), ...spellings('/api/user/search?keyword=&group=')])(
      'GET %s returns a page with every documented field',
      async (path) => {
        const reply = await admin.call<UserPage>('GET', path);
        expectSuccess(reply);
        expectFields(reply.body.data, { items: 'array', total: 'int', page: 'int', page_size: 'int' });
        expect(reply.body.data).toMatchObject({ page: 1, page_size: 10 });
        expect(reply.body.data.items).toHaveLength(10);
        for (const item of reply.body.data.items) expectFields(item, USER_FIELDS);
        expect(JSON.stringify(reply.body)).not.toMatch(/argon2|access_token/);
        const ids = reply.body.data.items.map(({ id }) => Number(id));
        expect(ids).toEqual([...ids].sort((first, second) => second - first));
      },
    );

    it.each([
      ['p=1&page_size=5', 1, 5],
      ['p=0&page_size=5', 1, 5],
      ['p=2&page_size=5', 2, 5],
      ['p=-3&page_size=5', 1, 5],
      ['p=abc&page_size=abc', 1, 10],
      ['p=&page_size=', 1, 10],
      ['page_size=0', 1, 10],
      ['page_size=-5', 1, 10],
      ['page_size=100000', 1, 100],
      ['page_size=NaN', 1, 10],
      ['p=99999999999999999999&page_size=5', 1, 5],
      ['p=1.9&page_size=5.9', 1, 10],
      ['p=2abc&page_size=5abc', 1, 10],
      ['p=%202&page_size=%2B5', 2, 5],
    ])('read %s as page %i of %i', async (query, page, size) => {
      for (const data of [await list(query), await search(query)]) {
        expect([data.page, data.page_size]).toEqual([page, size]);
        expect(data.items.length).toBe(Math.min(size, data.total - (page - 1) * size));
      }
    });

    it('contain every user once over all pages', async () => {
      const { total } = await list('page_size=100');
      const pages = await Promise.all(
        Array.from({ length: Math.ceil(total / 4) }, (_, index) => list(`p=${index + 1}&page_size=4`)),
      );
      const ids = pages.flatMap(({ items }) => items.map(({ id }) => id));
      expect([ids.length, new Set(ids).size]).toEqual([total, total]);
      expect((await list('p=1000&page_size=10')).items).toEqual([]);
    });

    it('mark deleted users', async () => {
      const gone = await testBed.user('gone', 0);
      await root.data('POST', '/api/user/manage', { id: gone.id, action: 'delete' });
      const item = (await list('page_size=100')).items.find(({ id }) => id === gone.id);
      expect(item?.['DeletedAt']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
      expectErrorReply(await root.call('GET', `/api/user/${gone.id}`), '用户不存在');
    });
  });

  describe('GET /api/user/search', () => {
    beforeAll(async () => {
      for (const [username, display_name] of [
        ['p%cent', 'Hundred'],
        ['p_cent', 'Under'],
        ['pxcent', '中文名字'],
        ['back\\slash', "O'Hara"],
      ]) {
        await root.data('POST', '/api/user/', { username, password: '12345678', display_name });
      }
      const target = (await search('keyword=pxcent')).items[0];
      await root.data('PUT', '/api/user/', { id: target?.['id'], group: 'svip' });
    });

    it.each([
      ['keyword=p%25cent', ['p%cent']],
      ['keyword=p_cent', ['p_cent']],
      ['keyword=%25', ['p%cent']],
      ['keyword=k%5Cs', ['back\\slash']],
      [`keyword=${encodeURIComponent('中文')}`, ['pxcent']],
      ['keyword=PXCENT', ['pxcent']],
      ["keyword=O'H", ['back\\slash']],
      ['keyword=cent&group=svip', ['pxcent']],
      ['keyword=&group=svip', ['pxcent']],
      ['keyword=cent&keyword=back&group=svip', ['pxcent']],
      ['keyword=cent&group=sv', []],
      ['keyword=cent&group=%25', []],
      ["keyword=' or 1=1 --", []],
    ])('%s finds %j', async (query, names) => {
      const { items, total } = await search(query);
      expect(items.map(({ username }) => username)).toEqual(names);
      expect(total).toBe(names.length);
    });

    it('finds a user by id, and nothing for a number beyond the ids', async () => {
      expect((await search(`keyword=${user.id}&page_size=100`)).items.some(({ id }) => id === user.id)).toBe(true);
      expect((await search('keyword=99999999999')).items).toEqual([]);
      expect((await search('keyword=9007199254740993')).items).toEqual([]);
    });

    it.each(['keyword=%00', 'group=%00'])('refuses %s', async (query) => {
      expectErrorReply(await admin.call('GET', `/api/user/search?${query}`), '无效的参数');
    });

    it('finds nothing for a very long keyword', async () => {
      expect((await search(`keyword=${'x'.repeat(5000)}`)).items).toEqual([]);
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { allRoutes, type OperationId, type OwnedRouteRow } from '@tollgate/contracts';
import { type OperationDocument, operations } from '@tollgate/contracts/operations/index';
import { type ApiReply, type Person, type TestBed, startTestBed } from '@tollgate/testing';

const consoleRows = allRoutes.filter((row) => row.owner !== 'relay' && row.auth !== 'token');
const guarded = consoleRows.filter((row) => row.minRole > 0);
/** A path with an id that does not exist. */
const pathOf = (row: OwnedRouteRow): string => row.path.replace(/:[a-z]+/g, '987654321').replace(/\*$/, 'x');
const label = (row: OwnedRouteRow): [string, OwnedRouteRow] => [`${row.method} ${row.path}`, row];

/** Calls that would end the session or delete data that later rows need. */
const DESTRUCTIVE = new Set(['logout', 'deleteSelf', 'deleteLogs', 'deleteDisabledChannels', 'createAccessToken']);

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
}

/** Whether the reply is an endless stream. */
const isEndless = ({ operationId }: OwnedRouteRow): boolean =>
  (operations[operationId as OperationId] as OperationDocument).streams === true;

describe('the route table', () => {
  let testBed: TestBed;
  let user: Person;
  let admin: Person;

  beforeAll(async () => {
    testBed = await startTestBed(allServices);
    user = await testBed.user('plainuser', 1000);
    admin = await testBed.user('anadmin', 1000);
    await testBed.root.data('POST', '/api/user/manage', { id: admin.id, action: 'promote' });
    await admin.signIn('anadmin', 'anadmin has a password'.slice(0, 20));
  }, 120_000);
  afterAll(() => testBed?.close());

  const call = (person: Person, row: OwnedRouteRow, headers?: Record<string, string>): Promise<ApiReply> =>
    person.call(row.method, pathOf(row), row.method === 'GET' || row.method === 'DELETE' ? undefined : {}, headers);

  it.each(guarded.map(label))('%s refuses a visitor', async (_, row) => {
    const reply = await call(testBed.visitor(), row);
    expect([reply.status, reply.body]).toMatchObject([
      401,
      { success: false, message: '无权进行此操作，未登录且未提供 access token' },
    ]);
  });

  it.each(guarded.filter((row) => row.auth === 'user').map(label))(
    '%s refuses a missing, a malformed and another user id',
    async (_, row) => {
      const [missing, malformed, other] = await Promise.all(
        ['', 'x1', '424242'].map((id) => call(user, row, { 'new-api-user': id })),
      );
      expect([missing?.status, missing?.body.message]).toEqual([401, '无权进行此操作，未提供 New-Api-User']);
      expect([malformed?.status, malformed?.body.message]).toEqual([401, '无权进行此操作，New-Api-User 格式错误']);
      expect([other?.status, other?.body.message]).toEqual([401, '无权进行此操作，New-Api-User 与登录用户不匹配']);
    },
  );

  it.each(guarded.filter((row) => row.minRole > 1).map(label))('%s refuses a role that is too low', async (_, row) => {
    const reply = await call(row.minRole === 100 ? admin : user, row);
    expect([reply.status, reply.body]).toMatchObject([200, { success: false, message: '无权进行此操作，权限不足' }]);
  });

  it.each(guarded.filter((row) => row.method === 'POST' || row.method === 'PUT').map(label))(
    '%s refuses a body that is no JSON',
    async (_, row) => {
      const person = row.minRole === 1 ? user : testBed.root;
      const reply = await person.call(row.method, pathOf(row), '{"name": ');
      expect(reply.body.success).toBe(false);
      expect(reply.body.message).not.toMatch(/Unexpected|SyntaxError|JSON at/);
      expect(reply.status).toBeLessThan(500);
    },
  );

  it.each(consoleRows.filter((row) => !DESTRUCTIVE.has(row.operationId) && !isEndless(row)).map(label))(
    '%s answers its caller without an internal error',
    async (_, row) => {
      const person = row.minRole >= 10 ? testBed.root : user;
      const reply = await call(person, row);
      expect(reply.status).toBeLessThan(500);
      expect(reply.headers.get('x-oneapi-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      const slash = await person.call(
        row.method,
        `${pathOf(row)}/`,
        row.method === 'GET' || row.method === 'DELETE' ? undefined : {},
      );
      expect(slash.status).toBe(reply.status);
    },
  );

  it('answers any text in a filter without an internal error', async () => {
    const { body } = await testBed.root.call('GET', '/api/openapi.json');
    const { paths } = body as unknown as { paths: Record<string, { get?: { parameters?: Parameter[] } }> };
    const read = consoleRows.filter((row) => !DESTRUCTIVE.has(row.operationId) && !isEndless(row));
    const calls = read
      .map((row) => strangeCalls(row, paths[documentPath(row)]?.get?.parameters ?? []))
      .filter(({ length }) => length > 0);
    expect(calls.flat().length).toBeGreaterThan(150);
    const faults: string[] = [];
    for (const ofRow of calls) {
      const replies = await Promise.all(ofRow.map((call) => testBed.root.call('GET', call)));
      faults.push(...ofRow.filter((_, index) => (replies[index]?.status ?? 0) >= 500));
    }
    expect(faults).toEqual([]);
  }, 240_000);
});

const documentPath = ({ path }: OwnedRouteRow): string => path.replace(/:([a-z]+)/g, '{$1}').replace(/(.)\/$/, '$1');

/** One call per filter of a list, with a value that PostgreSQL cannot store as text. */
function strangeCalls(row: OwnedRouteRow, parameters: readonly Parameter[]): string[] {
  if (row.method !== 'GET') return [];
  const asked = parameters.filter((parameter) => parameter.in === 'query');
  return asked.map(({ name }) => {
    const others = asked.filter((other) => other.required && other.name !== name).map((other) => `&${other.name}=1`);
    return `${pathOf(row)}?${name}=a%00b${others.join('')}`;
  });
}

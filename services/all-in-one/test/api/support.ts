import { expect } from '@jest/globals';
import type { HttpMethod } from '@tollgate/contracts';
import type { ApiReply, Person, TestBed } from '@tollgate/testing';

/** The type of a documented field; `?` allows null. */
type Kind = 'int' | 'number' | 'string' | 'boolean' | 'array' | 'object' | 'string?' | 'int?';

function holds(value: unknown, kind: Kind): boolean {
  if (kind.endsWith('?')) return value === null || holds(value, kind.slice(0, -1) as Kind);
  if (kind === 'int') return Number.isSafeInteger(value);
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === kind;
}

/** Checks that every documented field is there with its type; other fields are allowed. */
export function expectFields(value: unknown, fields: Record<string, Kind>): void {
  expect(holds(value, 'object')).toBe(true);
  const record = value as Record<string, unknown>;
  const wrong = Object.entries(fields).filter(
    ([name, kind]) => !Object.hasOwn(record, name) || !holds(record[name], kind),
  );
  expect(wrong.map(([name, kind]) => `${name}: ${kind}, is ${JSON.stringify(record[name])}`)).toEqual([]);
}

/** Checks the envelope of a success; its message is empty unless one is documented. */
export function expectSuccess(reply: ApiReply, message = ''): void {
  expect([reply.status, reply.body.success, reply.body.message]).toEqual([200, true, message]);
}

/** Checks the envelope of an error. */
export function expectErrorReply(reply: ApiReply, message: string, status = 200): void {
  expect([reply.status, reply.body.success, reply.body.message]).toEqual([status, false, message]);
  expectFields(reply.body, { success: 'boolean', message: 'string', code: 'string', kind: 'string' });
}

/** Checks that the call was refused without an internal error and without a message of a library. */
export function expectCleanErrorReply(reply: ApiReply): void {
  expect([reply.body.success, reply.status < 500]).toEqual([false, true]);
  expect(reply.body.message).not.toMatch(
    /Unexpected|SyntaxError|expected|undefined|column|constraint|duplicate|record not/i,
  );
  expect(reply.body.message).not.toBe('');
}

/** A path with and without a trailing slash; the query is kept. */
export function spellings(path: string): string[] {
  const [bare = '', query] = path.split('?');
  const tail = query === undefined ? '' : `?${query}`;
  return [`${bare.replace(/\/$/, '')}${tail}`, `${bare.replace(/\/$/, '')}/${tail}`];
}

/** Bodies that are not a JSON object. */
export const NO_OBJECTS: readonly (readonly [string, string])[] = [
  ['an empty body', ''],
  ['an array', '[]'],
  ['a number', '12'],
  ['a text', '"text"'],
  ['null', 'null'],
  ['a boolean', 'true'],
  ['half an object', '{"name": '],
  ['a poisoned prototype', '{"__proto__": {"role": 100}}'],
];

/** Ids that do not exist or are invalid. */
export const NO_IDS = ['0', '-1', '1.5', 'abc', 'NaN', '1e3', '%20', '99999999999', '9007199254740993', '987654321'];

export interface Plain {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request without a session. */
export async function plain(
  testBed: TestBed,
  method: HttpMethod | 'OPTIONS' | 'HEAD',
  path: string,
  init: { headers?: Record<string, string>; body?: string } = {},
): Promise<Plain> {
  const reply = await fetch(`${testBed.url}${path}`, { method, redirect: 'manual', ...init });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

/** The headers by which a user's browser is authenticated. */
export const proofOf = (person: Person): Record<string, string> => ({
  cookie: person.cookie,
  'new-api-user': String(person.id),
});

/** Creates an administrator (role 10) and signs in. */
export async function makeAdmin(testBed: TestBed, name: string): Promise<Person> {
  const admin = await testBed.user(name, 0);
  await testBed.root.data('POST', '/api/user/manage', { id: admin.id, action: 'promote' });
  return admin;
}

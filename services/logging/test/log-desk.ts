import { type LogPage, type TestBed, startLogging } from './test-bed.js';

export const admin = { id: 1_000_000, role: 10 } as const;

/** A logging service with helpers to read its rows. */
export interface LogDesk {
  testBed: TestBed;
  /** Called by an administrator. */
  list(query: Record<string, string | number>, path?: string): Promise<LogPage>;
  /** Called by a user. */
  own(userId: number, path?: string, query?: Record<string, string | number>): Promise<unknown>;
  nameOf(userId: number): string;
}

/** The environment may select another store. */
export async function openLogDesk(environment?: Record<string, string>): Promise<LogDesk> {
  const testBed = await startLogging(environment);
  testBed.neighbours.names.tokens.set(9, 'my key').set(10, '100%_sure');
  testBed.neighbours.names.channels.set(3, 'main').set(4, 'spare');
  return {
    testBed,
    async list(query, path = '/api/log/') {
      const reply = await testBed.request<LogPage>('GET', path, { as: admin, query });
      return (reply.body as { data: LogPage }).data;
    },
    own: async (userId, path = '/api/log/self', query = {}) =>
      ((await testBed.request('GET', path, { as: { id: userId }, query })).body as { data: unknown }).data,
    nameOf: (userId) => testBed.neighbours.names.users.get(userId) ?? '',
  };
}

/** In Unix seconds. */
export const hourNow = (): number => Math.floor(Date.now() / 3_600_000) * 3600;

import { type LogPage, type Stand, startLogging } from './stand.js';

export const admin = { id: 1_000_000, role: 10 } as const;

/** A logging service, and how its rows are read. */
export interface LogDesk {
  stand: Stand;
  /** As an administrator. */
  list(query: Record<string, string | number>, path?: string): Promise<LogPage>;
  /** As a user. */
  own(userId: number, path?: string, query?: Record<string, string | number>): Promise<unknown>;
  nameOf(userId: number): string;
}

/** The environment may choose another store. */
export async function openLogDesk(environment?: Record<string, string>): Promise<LogDesk> {
  const stand = await startLogging(environment);
  stand.neighbours.names.tokens.set(9, 'my key').set(10, '100%_sure');
  stand.neighbours.names.channels.set(3, 'main').set(4, 'spare');
  return {
    stand,
    async list(query, path = '/api/log/') {
      const reply = await stand.request<LogPage>('GET', path, { as: admin, query });
      return (reply.body as { data: LogPage }).data;
    },
    own: async (userId, path = '/api/log/self', query = {}) =>
      ((await stand.request('GET', path, { as: { id: userId }, query })).body as { data: unknown }).data,
    nameOf: (userId) => stand.neighbours.names.users.get(userId) ?? '',
  };
}

/** Unix seconds. */
export const hourNow = (): number => Math.floor(Date.now() / 3_600_000) * 3600;

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminAction, type RequestConsumed, userErased, LogType } from '@tollgate/contracts';
import { leastIdAt } from '@tollgate/chassis';
import { eventually } from '@tollgate/testing';
import { v7 } from 'uuid';
import { RequestConsumedConsumer } from '../src/intake/request-consumed.consumer.js';
import type { LogRow } from '../src/log/log-row.js';
import { UserErasedConsumer } from '../src/person/user-erased.consumer.js';
import { LogClearService } from '../src/retention/log-clear.service.js';
import { type LogConditions, LogStore, type NewLog } from '../src/store/log-store.js';
import type { LogDesk } from './log-desk.js';
import { consumed, type TestBed } from './test-bed.js';

const HOUR = 3600;
const DAY = 86_400;

/** The contract of every store of the usage log, tested inside the service that uses it. */
export function describeLogStore(name: string, open: () => Promise<LogDesk>): void {
  describe(`${name} as a store of the usage log`, () => {
    let testBed: TestBed;
    let store: LogStore;

    beforeAll(async () => {
      ({ testBed } = await open());
      store = testBed.get(LogStore);
    }, 120_000);
    afterAll(() => testBed?.close());

    const inContext = <T>(work: () => Promise<T>): Promise<T> => testBed.inContext(work);
    const at = (seconds: number, more: Partial<RequestConsumed> & { userId: number }) =>
      consumed(
        { startedAt: new Date(seconds * 1000).toISOString(), durationMs: 0, ...more },
        v7({ msecs: seconds * 1000 }),
      );
    /** All stored rows of a user, oldest first. */
    const rowsOf = (userId: number): Promise<LogRow[]> =>
      inContext(() => store.ofUser(userId, { createdAt: 0, id: 0 }, 10_000));
    const newest = (conditions: LogConditions, limit = 1_000, offset = 0): Promise<LogRow[]> =>
      inContext(() => store.newest(conditions, { limit, offset }));

    /** Checks that the hourly sums equal the existing rows, by the names in these rows. */
    async function expectTrueHours(userId: number): Promise<void> {
      const sums = new Map<string, number>();
      for (const { type, username, modelName, createdAt, quota } of await rowsOf(userId)) {
        if (type !== LogType.consume) continue;
        const key = `${username} ${modelName} ${createdAt - (createdAt % HOUR)}`;
        sums.set(key, (sums.get(key) ?? 0) + quota);
      }
      const hours = await testBed
        .em()
        .execute<{ key: string; quota: string }[]>(
          `select "username" || ' ' || "model_name" || ' ' || "hour" as "key", "logged_quota"::text as "quota" from "quota_hour" where "user_id" = ? and "logged_quota" <> 0`,
          [userId],
        );
      expect(new Map(hours.map(({ key, quota }) => [key, Number(quota)]))).toEqual(sums);
    }

    describe('writing', () => {
      it('adds a row once, however often its event is delivered and by several processes', async () => {
        const userId = testBed.newUser();
        const batch = Array.from({ length: 40 }, (_, index) => consumed({ userId, quota: index + 1 }));
        const log = (events: typeof batch) => inContext(() => testBed.get(RequestConsumedConsumer).log(events));
        await Promise.all([log(batch), log(batch.slice(10)), log(batch.slice(0, 30)), log(batch)]);
        await log([...batch, ...batch]);

        const rows = await rowsOf(userId);
        expect(rows.map(({ eventId }) => eventId).sort()).toEqual(batch.map(({ id }) => id).sort());
        expect(new Set(rows.map(({ id }) => id)).size).toBe(40);
        await expectTrueHours(userId);
      });

      it('treats a repeated event with another end as the same one', async () => {
        const userId = testBed.newUser();
        const event = consumed({ userId });
        await testBed.publish(event);
        await testBed.publish(consumed({ userId, outcome: 'interrupted', durationMs: 100, quota: 1 }, event.id));
        expect((await rowsOf(userId)).map(({ quota }) => quota)).toEqual([225]);
        await expectTrueHours(userId);
      });

      it('adds no row when the transaction with the sums fails', async () => {
        const userId = testBed.newUser();
        const row = newLog({ userId, eventId: v7(), createdAt: Math.floor(Date.now() / 1000) - 5 });
        const write = (fails: boolean) =>
          testBed.em().transactional(async (em) => {
            const added = await store.insert(em as never, [row]);
            if (fails) throw new Error('killed');
            return added;
          });
        await expect(write(true)).rejects.toThrow('killed');
        expect(await write(false)).toEqual([{ eventId: row.eventId, username: row.username }]);
        expect(await write(false)).toEqual([]);
        await store.settle();
        expect(await rowsOf(userId)).toMatchObject([row]);
      });

      it('stores texts and fields unchanged', async () => {
        const text = `it's \\ "quoted" \n\t 100%_ ? $1 {a} 日本 \u{1f600} ');--`;
        const row = newLog({
          ...{ userId: testBed.newUser(), eventId: v7(), createdAt: Math.floor(Date.now() / 1000), isStream: true },
          ...{ content: text, username: text, tokenName: text, modelName: text, channelName: text, group: text },
          ...{ quota: 9_007_199_254_740_991, promptTokens: 2 ** 40, type: LogType.consume, tokenId: 9 },
          other: { frt: 1.5, request_id: text, admin_info: { use_channel: ['1'] } },
        });
        await testBed.em().transactional((em) => store.insert(em as never, [row]));
        await store.settle();
        expect(await rowsOf(row.userId)).toMatchObject([row]);
        expect(await newest({ username: text, tokenName: text, modelName: text, group: text })).toMatchObject([row]);
      });
    });

    describe('reading', () => {
      const start = Date.UTC(2025, 2, 1) / 1000;
      let all: LogRow[] = [];
      /** Several rows share a second, so that their order depends on the id. */
      beforeAll(async () => {
        const users = [testBed.newUser(), testBed.newUser(), testBed.newUser()];
        const models = ['gpt_4%', 'gptx4yz', 'gpt-4o', "o'1"];
        const events = Array.from({ length: 60 }, (_, n) =>
          at(start + Math.floor(n / 4) * 600, {
            ...{ userId: users[n % 3]!, model: models[n % 4]!, tokenId: n % 2 === 0 ? 9 : 10, channelId: 3 + (n % 2) },
            ...{ group: 'read', quota: n + 1, outcome: n % 10 === 9 ? 'failed' : 'completed' },
          }),
        );
        await testBed.publishBatch(events.slice(0, 30));
        await testBed.publishBatch(events.slice(30));
        all = await newest({ group: 'read' });
      });

      it('returns rows newest first, and within a second by insertion', () => {
        expect(all).toHaveLength(60);
        const places = all.map(({ createdAt, id }) => [createdAt, id] as const);
        expect(places).toEqual([...places].sort((left, right) => right[0] - left[0] || right[1] - left[1]));
      });

      const filters: [string, (row: LogRow) => LogConditions][] = [
        ['nothing', () => ({})],
        ['user', ({ userId }) => ({ userId })],
        ['name', ({ username }) => ({ username })],
        ['type', ({ type }) => ({ type })],
        ['name of a token with % and _', () => ({ tokenName: '100%_sure' })],
        ['token', ({ tokenId }) => ({ tokenId })],
        ['model with % and _', () => ({ modelName: 'gpt_4%' })],
        ['model with a quote', () => ({ modelName: "o'1" })],
        ['channel', ({ channelId }) => ({ channelId })],
        ['event', ({ eventId }) => ({ eventId })],
        ['number', ({ id }) => ({ id })],
        ['a number that nobody has', () => ({ id: -1 })],
        ['begin, inclusive', ({ createdAt }) => ({ from: createdAt })],
        ['end, inclusive', ({ createdAt }) => ({ to: createdAt })],
        ['both', ({ createdAt }) => ({ from: createdAt - 600, to: createdAt })],
        ['several', ({ userId, modelName, type, createdAt }) => ({ userId, modelName, type, to: createdAt })],
        ['what fits nothing', () => ({ username: "' or 1 = 1", modelName: '%' })],
      ];

      it.each(filters)('finds, counts and sums by %s', async (_, conditionOf) => {
        const conditions = { group: 'read', ...conditionOf(all[20]!) };
        const wanted = all.filter((row) => meets(row, conditions));
        const pages: LogRow[] = [];
        for (let offset = 0; offset <= wanted.length; offset += 7) pages.push(...(await newest(conditions, 7, offset)));
        expect(pages).toEqual(wanted);
        expect(await inContext(() => store.count(conditions))).toEqual({ total: wanted.length, isExact: true });
        const sum = (valueOf: (row: LogRow) => number) => wanted.reduce((total, row) => total + valueOf(row), 0);
        expect(await inContext(() => store.sums(conditions))).toEqual({
          quota: sum(({ quota }) => quota),
          count: wanted.length,
          tokens: sum(({ promptTokens, completionTokens }) => promptTokens + completionTokens),
        });
      });

      it('finds the row of an event, and none where there is none', async () => {
        const { eventId } = all[33]!;
        expect(await inContext(() => store.find(eventId))).toEqual(all[33]);
        expect(await inContext(() => store.find(v7()))).toBeNull();
      });

      it('returns all rows of a user after a given row, oldest first', async () => {
        const { userId } = all[0]!;
        const own = all.filter((row) => row.userId === userId).reverse();
        const pages: LogRow[] = [];
        for (let behind = { createdAt: 0, id: 0 }; pages.length < own.length; behind = pages.at(-1)!) {
          const page = await inContext(() => store.ofUser(userId, behind, 3));
          expect(page.length).toBeGreaterThan(0);
          pages.push(...page);
        }
        expect(pages).toEqual(own);
        expect(await inContext(() => store.ofUser(userId, pages.at(-1)!, 3))).toEqual([]);
      });

      it('finds contents by a literal prefix', async () => {
        const userId = testBed.newUser();
        const text = "100%_off\\ for 'you'";
        await testBed.publish(
          testBed.newEvent(adminAction, { actorId: 1, action: 'user-update', subject: 'user:1', userId, text }),
        );
        const found = async (keyword: string): Promise<string[]> =>
          (await inContext(() => store.startingWith(keyword, 100))).flatMap((row) =>
            row.userId === userId ? row.content : [],
          );
        expect(await found('100%_off\\ for ')).toEqual([text]);
        for (const keyword of ['100__off', '%', 'off', '100%_OFF']) expect(await found(keyword)).toEqual([]);
      });

      it('returns count, sum and digest of the requests in a range', async () => {
        const [from, to] = [all[40]!.eventId, all[10]!.eventId];
        const inside = all.filter(({ eventId }) => eventId >= from && eventId < to);
        const hash = ({ eventId, quota }: LogRow): bigint =>
          BigInt(`0x${createHash('md5').update(`${eventId} ${quota}`).digest('hex').slice(0, 15)}`);
        expect(await inContext(() => store.digest(from, to))).toEqual({
          requests: String(inside.length),
          units: String(inside.reduce((sum, { quota }) => sum + quota, 0)),
          digest: String(inside.reduce((sum, row) => sum + hash(row), 0n)),
        });
        expect(await inContext(() => store.digest(leastIdAt(0), leastIdAt(1)))).toMatchObject({ requests: '0' });
      });
    });

    it('returns the usage of channels from sums and rows alike, with the usage that providers may count differently', async () => {
      const userId = testBed.newUser();
      const noon = Date.UTC(2026, 2, 10, 12) / 1000;
      const cached = { inputTokens: 50, cacheReadTokens: 30, cacheWriteTokens: 20, outputTokens: 7 };
      const usage = { semantics: 'anthropic' as const, ...cached };
      const cut = { usageSource: 'estimated', outcome: 'client_abort' } as const;
      const more = { userId, model: 'fast', channelId: 71 };
      const guessed = at(noon + 1, { ...more, ...cut, upstreamModel: 'sent-1' });
      // Seven o'clock on the previous evening in California.
      const late = at(Date.UTC(2026, 2, 11, 2) / 1000, more);
      const plain = at(noon, { ...more, upstreamModel: 'sent-1', usage });
      await testBed.publish(plain, guessed, late, plain);
      const asked = { channelIds: [71], firstDay: '2026-03-10', lastDay: '2026-03-11' };
      const usageIn = (zone: 'UTC' | 'America/Los_Angeles') => inContext(() => store.channelUsage({ ...asked, zone }));
      const same = { channelId: 71, model: 'fast', requests: 1 };
      const rows = await usageIn('UTC');
      expect(rows).toEqual([
        { ...same, day: '2026-03-10', sent: 'sent-1', source: 'estimated', input: 100, cached: 0, output: 20 },
        { ...same, day: '2026-03-10', sent: 'sent-1', source: 'upstream', input: 100, cached: 30, output: 7 },
        { ...same, day: '2026-03-11', sent: 'fast', source: 'upstream', input: 100, cached: 0, output: 20 },
      ]);
      expect((await usageIn('America/Los_Angeles')).map(({ day }) => day)).toEqual(rows.map(() => '2026-03-10'));
      for (const day of ['2026-03-10', '2026-03-11', '2026-03-12', '-infinity']) {
        await testBed.em().execute(`update "channel_usage_start" set "first_day" = ?`, [day]);
        expect(await usageIn('UTC')).toEqual(rows);
      }
      const [from, to] = [Date.UTC(2026, 2, 10), Date.UTC(2026, 2, 11)];
      const span = { channelIds: [71], day: '2026-03-10', zone: 'UTC' as const, models: ['sent-1', 'fast'], limit: 9 };
      expect(await inContext(() => store.doubtful({ ...span, from, to }))).toEqual({
        requests: [
          {
            ...{ request_id: guessed.id, channel_id: 71, model: 'sent-1', time: noon + 1, input: 100, output: 20 },
            doubts: ['estimated', 'cancelled'],
          },
        ],
        total: 1,
      });
    });

    it('erases names from rows and sums in parts, and from rows that arrive later', async () => {
      const userId = testBed.newUser();
      testBed.neighbours.names.users.set(userId, 'grace');
      const now = Math.floor(Date.now() / 1000);
      const error = { code: 'bad', status: 400, message: 'Grace asked for something odd' };
      const attempt = { channelId: 3, channelType: 1, class: 'invalid', status: 400, durationMs: 5 } as const;
      const failed = (seconds: number) =>
        at(seconds, { userId, outcome: 'failed', error, attempts: [{ ...attempt, message: 'Grace asked' }] });
      const own = [3 * DAY, 2 * DAY, DAY, HOUR, 5].flatMap((ago) => [at(now - ago, { userId }), failed(now - ago)]);
      await testBed.publishBatch(own);
      const before = await rowsOf(userId);
      const said = (rows: readonly LogRow[]): string =>
        JSON.stringify(rows.map(({ username, tokenName, content, other }) => [username, tokenName, content, other]));
      expect(said(before)).toMatch(/grace.*my key/i);

      const user = { userId, pseudonym: `erased-${userId}` };
      const erase = (from: number, atOnce: number, fails = false) =>
        testBed.em().transactional(async (em) => {
          const next = await store.eraseNames(em as never, user, { from, atOnce });
          if (fails) throw new Error('killed');
          return next;
        });
      await expect(erase(0, 3, true)).rejects.toThrow('killed');
      await testBed.publish(testBed.newEvent(userErased, user));
      await untilSwept(userId);
      const after = await rowsOf(userId);
      expect(said(after)).not.toMatch(/grace|my key/i);
      const kept = ({ username: _, tokenName: __, content: ___, other: ____, ...row }: LogRow) => row;
      expect(after.map(kept)).toEqual(before.map(kept));
      expect(after.every(({ username }) => username === user.pseudonym)).toBe(true);
      await expectTrueHours(userId);

      await testBed.publishBatch([...own, at(now - 4, { userId }), failed(now - 4)]);
      const late = await rowsOf(userId);
      expect(late).toHaveLength(after.length + 2);
      expect(said(late)).not.toMatch(/grace|my key/i);
      await expectTrueHours(userId);
      // In parts of whole hours; the last part has no end.
      let from: number | undefined = 0;
      const ends: number[] = [];
      while ((from = await erase(from, 4)) !== undefined) ends.push(from);
      expect(ends.length).toBeGreaterThan(1);
      expect(ends).toEqual([...new Set(ends)].sort((left, right) => left - right));
      expect(ends.every((end) => end % HOUR === 0)).toBe(true);
      expect(await rowsOf(userId)).toEqual(late);
    });

    async function untilSwept(userId: number): Promise<void> {
      await eventually(`a pass over the data of user ${userId}`, async () => {
        await inContext(() => testBed.get(UserErasedConsumer).erased.run()).catch(() => undefined);
        const swept = await testBed
          .em()
          .execute(`select from "erased_user" where "user_id" = ? and "passes" > 0`, [userId]);
        return swept.length > 0;
      });
      await store.settle();
    }

    it('deletes rows older than a time, whole and partial months, and subtracts them from the hours', async () => {
      const userId = testBed.newUser();
      const before = Date.UTC(2024, 1, 10, 0, 30) / 1000;
      const times = [before - 40 * DAY, before - DAY, before - 1200, before - 1, before, before + 1, before + 40 * DAY];
      await testBed.publishBatch(times.map((time, index) => at(time, { userId, quota: 10 ** index })));
      await testBed.publishBatch([at(before - 5, { userId, outcome: 'failed', quota: 0 })]);
      const clear = () => inContext(() => testBed.get(LogClearService).clear(before, 1));
      const older = await inContext(() => store.count({ to: before - 1 }));
      expect(older).toMatchObject({ isExact: true });
      expect(await clear()).toBe(older.total);
      expect((await rowsOf(userId)).map(({ createdAt }) => createdAt)).toEqual(times.slice(4));
      expect((await inContext(() => store.count({ to: before - 1 }))).total).toBe(0);
      await expectTrueHours(userId);
      expect(await clear()).toBe(0);
      await expectTrueHours(userId);
      // Nothing else was removed.
      expect((await rowsOf(userId)).reduce((sum, { quota }) => sum + quota, 0)).toBe(1_110_000);
    });
  });
}

const newLog = (row: Partial<NewLog> & Pick<NewLog, 'userId' | 'eventId' | 'createdAt'>): NewLog => ({
  ...{ type: LogType.system, content: '', username: 'somebody', tokenName: '', modelName: '', quota: 0 },
  ...{ promptTokens: 0, completionTokens: 0, useTime: 0, isStream: false, channelId: 0, channelName: '' },
  ...{ tokenId: 0, group: '', other: null },
  ...row,
});

const meets = (row: LogRow, { from = 0, to = Infinity, ...equal }: LogConditions): boolean =>
  row.createdAt >= from &&
  row.createdAt <= to &&
  Object.entries(equal).every(([name, value]) => row[name as keyof LogRow] === value);

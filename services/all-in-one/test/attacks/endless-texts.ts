import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readUntil, type Scenario, scenarios } from '@tollgate/testing';
import { Client } from 'pg';
import { type Arena, chat } from './arena.js';

const ANTHROPIC = 14;
const MEGABYTE = 1024 * 1024;
const WIDE = '错'.repeat(MEGABYTE / 2);
const BROKEN = '\u0000\ud83d'.repeat(MEGABYTE / 4);

/** An upstream's error with very long texts in every field. */
const shout = (text: string): Scenario =>
  scenarios.raw(400, JSON.stringify({ error: { message: text, type: text, code: text, param: text } }));

/** Texts of unlimited length from clients, upstreams and administrators must not block events about anything else. */
export const describeEndlessTexts = (where: string, open: () => Promise<Arena>): void =>
  describe(`endless texts, ${where}`, () => {
    let arena: Arena;
    beforeAll(async () => {
      arena = await open();
    }, 240_000);
    afterAll(() => arena?.close(), 120_000);

    async function count(query: string): Promise<number> {
      const client = new Client({ connectionString: arena.databaseUrl });
      await client.connect();
      try {
        const { rows } = await client.query<{ count: string }>(query);
        return Number(rows[0]?.count);
      } finally {
        await client.end();
      }
    }
    const sumOver = (schemas: readonly string[], rows: string): Promise<number> =>
      count(`select ${schemas.map((schema) => `(select count(*) from ${schema}.${rows})`).join(' + ')} as count`);

    it('of a client do not stop the booking of other requests', async () => {
      const scene = await arena.stage(scenarios.speak(), { type: ANTHROPIC });
      for (const type of ['x'.repeat(550_000), WIDE, BROKEN]) {
        const reply = await chat(arena, scene, { messages: [{ role: 'user', content: [{ type }] }] });
        const text = await reply.text();
        expect([reply.status, text.length < 5000]).toEqual([400, true]);
      }
      for (const model of [WIDE, BROKEN]) {
        const reply = await chat(arena, scene, { model });
        expect([reply.status >= 400, (await reply.text()).length < 5000]).toEqual([true, true]);
      }
      for (let turn = 0; turn < 3; turn += 1) await arena.expectService();
    }, 120_000);

    it('of an upstream do not stop the booking of other requests', async () => {
      const scene = await arena.stage(scenarios.speak());
      for (const text of [WIDE, BROKEN]) {
        scene.endpoint.play(shout(text));
        const reply = await chat(arena, scene, { reasoning_effort: text });
        expect([reply.status >= 400, (await reply.text()).length < 20_000]).toEqual([true, true]);
      }
      for (let turn = 0; turn < 3; turn += 1) await arena.expectService();
      const { items } = await scene.user.data<{ items: { type: number; content: string }[] }>(
        'GET',
        '/api/log/self?p=1&page_size=10',
      );
      const failed = items.filter(({ type }) => type === 5).map(({ content }) => content.length);
      expect([failed.length, Math.max(...failed) <= 1000]).toEqual([2, true]);
    }, 120_000);

    it('of an administrator do not delay other events', async () => {
      const { root } = arena.site;
      const before = await root.data<{ key: string; value: string }[]>('GET', '/api/option/');
      const footer = before.find(({ key }) => key === 'Footer')?.value ?? '';
      await root.data('PUT', '/api/option/', { key: 'Footer', value: '错'.repeat(1_000_000) });
      await root.data('PUT', '/api/option/', { key: 'Footer', value: footer });
      const waiting = (): Promise<number> =>
        sumOver(['identity', 'billing', 'channel', 'logging'], 'outbox_event where published_at is null');
      expect(await readUntil(waiting, (rows) => rows === 0, 15_000)).toBe(0);
      await arena.expectService();
    }, 60_000);

    it('leave the quarantine empty, and books without faults', async () => {
      expect(await sumOver(['billing', 'channel', 'logging'], 'quarantined_event')).toBe(0);
      await arena.expectTrueBooks();
    }, 60_000);
  });

import { describe, expect, it } from '@jest/globals';
import { type SubmittedRun, submitCorrections, type Query, readPrices, Rerating } from '@tollgate/billing';
import type { Approval, CorrectionRun } from '@tollgate/contracts/api/approval';
import { everythingAbout, type ReconcileReport, tableReader } from '@tollgate/operations';
import { Client } from 'pg';
import { readUntil } from '@tollgate/testing';
import { log, type ReconcileSite, REQUESTS, withClient } from './reconcile-site.js';

/** Rates every charge again, by its own prices and by others, and corrects it. */
export function describeRerating(site: () => ReconcileSite): void {
  describe('re-rating', () => {
    const sql = <Row extends object>(text: string): Promise<Row[]> => site().sql<Row>(text);
    const look = (): Promise<ReconcileReport> => site().look();
    const inBilling = <T>(work: (query: Query) => Promise<T>): Promise<T> => withClient(site().url, work);
    const rerate = (change?: (document: Record<string, unknown>) => void): Promise<Rerating> =>
      inBilling(async (query) => {
        const rows = await query<{ id: string; document: Record<string, unknown> }>(
          'select "id", "document" from "price_version"',
        );
        const documents = new Map(rows.map(({ id, document }) => [id, readPrices(JSON.stringify(document))]));
        const latest = structuredClone(rows.at(-1)?.document ?? {});
        change?.(latest);
        const rerating = new Rerating({
          ...{
            from: 0,
            to: Date.now() + 1000,
            documents,
            ...(change && { other: readPrices(JSON.stringify(latest)) }),
          },
          async bookedOf(wanted) {
            const booked = await query<{ id: string; amount: string }>(
              'select "id", "amount" from "posting" where "id" = any($1::uuid[])',
              [wanted],
            );
            return new Map(booked.map(({ id, amount }) => [id, Number(amount)]));
          },
        });
        const client = new Client({ connectionString: site().url });
        await client.connect();
        await tableReader(client)('request-consumed', (records) => rerating.take(records)).finally(() => client.end());
        return rerating;
      });
    const tripled = (document: Record<string, unknown>): void => {
      document['groupRatio'] = { ...(document['groupRatio'] as object), default: 3 };
    };
    const doubled = (document: Record<string, unknown>): void => {
      document['groupRatio'] = { ...(document['groupRatio'] as object), default: 2 };
    };

    it('computes every charge again exactly', async () => {
      const { total, differences, unpriced } = await rerate();
      expect({ differences, unpriced, same: total.charged === total.rerated }).toEqual({
        differences: [],
        unpriced: [],
        same: true,
      });
      expect(total.requests).toBe(REQUESTS);
    }, 60_000);

    it('shows what other prices would have charged', async () => {
      const { total, users, models, channels } = await rerate(doubled);
      // 52.5 units each, rounded to 53; twice the price is 105, not 106.
      expect([total.charged, total.rerated]).toEqual([REQUESTS * 53, REQUESTS * 105]);
      expect([users.get('2')?.requests, models.get('gpt-4o')?.requests, channels.get('1')?.requests]).toEqual([
        REQUESTS,
        REQUESTS,
        REQUESTS,
      ]);
    }, 60_000);

    it('posts corrections once after the approval of another administrator, and the books balance', async () => {
      const second = await site().testBed.user('second', 0);
      await site().testBed.root.data('POST', '/api/user/manage', { id: second.id, action: 'promote' });
      const wish = { reason: 'the contract said so', requestedBy: 1 };
      const submit = ({ differences }: Rerating, more: Partial<typeof wish> = {}) =>
        inBilling((query) => submitCorrections(query, differences, { ...wish, ...more }));
      const approve = async (id: number, by = second) =>
        (await by.call('POST', `/api/approval/${id}/approve`, {})).body as { success: boolean; code?: string };
      const spent = async (): Promise<number> =>
        Number((await sql<{ spent: string }>('select spent from billing.account where user_id = 2'))[0]?.spent);

      const dearer = await rerate(doubled);
      await expect(submit(dearer, { reason: ' ' })).rejects.toThrow(/needs a reason/);
      const before = await spent();
      const one = async (found: Rerating): Promise<SubmittedRun> => {
        const [run] = await submit(found);
        if (!run) throw new Error('nothing was submitted');
        return run;
      };
      const run = await one(dearer);
      const id = run.approvalId;
      expect(await submit(dearer)).toEqual([{ ...run, known: true }]);
      expect(await spent()).toBe(before);
      expect((await approve(id, site().testBed.root)).code).toBe('approval-own');
      const shown = await second.data<CorrectionRun>('GET', `/api/approval/${id}/correction`);
      const sums = { requests: REQUESTS, charged: REQUESTS * 53, rerated: REQUESTS * 105 };
      expect(shown).toMatchObject({ digest: run.digest, ...sums, users: 1, by_model: [{ key: 'gpt-4o', ...sums }] });
      expect(shown.rows.map((row) => row.request_id).sort()).toEqual(site().ids);
      expect((await approve(id)).success).toBe(true);
      expect((await approve(id)).success).toBe(true);
      expect((await spent()) - before).toBe(REQUESTS * (105 - 53));
      expect(await submit(dearer)).toEqual([]);
      const [row] = await sql<object>(
        `select actor_id, reason, debit, credit, model, channel_id from billing.posting where code = 'correction' limit 1`,
      );
      expect(row).toEqual({
        ...{ actor_id: 1, debit: 'wallet:2', credit: 'revenue', model: 'gpt-4o', channel_id: 1 },
        reason: `the contract said so (correction run ${id}, approved by user ${second.id})`,
      });
      expect((await look()).faults).toEqual([]);

      // The same charges at other prices. A refused run is recorded and posts nothing.
      const again = await rerate(tripled);
      const first = await one(again);
      await second.data('POST', `/api/approval/${first.approvalId}/refuse`, { note: 'not now' });
      const wanted = await one(again);
      expect(wanted.approvalId).not.toBe(first.approvalId);
      // A run whose charges have changed since is closed when it is approved, and posts nothing.
      const part = await one({ ...again, differences: again.differences.slice(0, 1) } as Rerating);
      const [token] = await sql<{ credit: string }>('select credit from billing.token');
      await sql('update billing.token set credit = spent + 1');
      expect((await approve(wanted.approvalId)).success).toBe(true);
      expect((await approve(part.approvalId)).code).toBe('correction-outdated');
      await sql(`update billing.token set credit = ${token?.credit}`);
      const { items } = await second.data<{ items: Approval[] }>('GET', '/api/approval?kind=correction');
      expect(items.map(({ status }) => status)).toEqual(['expired', 'approved', 'refused', 'approved']);
      expect((await look()).faults).toEqual([]);
      expect((await spent()) - before).toBe(again.total.rerated - REQUESTS * 53);

      const told = await sql<{ topic: string; value: string }>(
        `select topic, value from billing.outbox_event where topic in ('token-changed', 'quota-adjusted') or value like '%charges-correct%' order by id desc limit 3`,
      );
      expect(told.map(({ topic }) => topic)).toEqual(['admin-action', 'quota-adjusted', 'token-changed']);
      const [action, adjusted] = told.map(({ value }) => (JSON.parse(value) as { data: object }).data);
      const after = { requests: REQUESTS, reason: wish.reason, approvedBy: second.id, approval: wanted.approvalId };
      expect(action).toMatchObject({ actorId: 1, subject: 'user:2', after });
      expect(adjusted).toMatchObject({ userId: 2, actorId: 1 });
      const proof = await site().testBed.root.data<{ steps: { facts: { name: string; value: unknown }[] }[] }>(
        'GET',
        `/api/proof/request/${site().ids[0]}`,
      );
      const named = (name: string) =>
        proof.steps.flatMap(({ facts }) => facts.filter((fact) => fact.name === name)).map(({ value }) => value);
      expect(named('code')).toEqual(['consumption', 'correction', 'correction']);
      expect(named('approval_id')).toEqual([id, wanted.approvalId]);
      await expectOrigin(wanted.approvalId);
    }, 60_000);

    /** One event describes all that a run has moved in a wallet; it must be found by any of its postings. */
    async function expectOrigin(approval: number): Promise<void> {
      const [last] = await sql<{ id: string; request: string }>(
        `select id, split_part(reference, ':', 1) as request from billing.posting where code = 'correction' and reason like '%run ${approval},%' order by id desc limit 1`,
      );
      const shown = await readUntil(
        () => everythingAbout(last?.id ?? '', { url: site().url, log }),
        (rows) => rows['logging.event_place'] !== undefined,
        20_000,
      );
      expect(shown['billing.approval']).toContainEqual(expect.objectContaining({ id: approval, status: 'approved' }));
      expect(shown['billing.correction_row']).toContainEqual(
        expect.objectContaining({ approval_id: approval, request_id: last?.request }),
      );
      expect(Object.keys(shown)).toEqual(expect.arrayContaining(['logging.log', 'event_log.record']));
      const { steps } = await site().testBed.root.data<{ steps: { link: string; state: string }[] }>(
        ...(['GET', `/api/proof/posting/${last?.id}`] as const),
      );
      const links = ['received', 'approval', 'posting', 'seal', 'event', 'log'];
      expect(steps.map(({ link }) => link)).toEqual(links);
      expect(steps.map(({ state }) => state)).not.toContain('differs');
    }

    it('posts nothing when the rows differ from those submitted', async () => {
      const wish = { reason: 'back to the list', requestedBy: 1 };
      const { differences } = await rerate(doubled);
      const [run] = await inBilling((query) => submitCorrections(query, differences, wish));
      await sql(`alter table billing.correction_row disable trigger user`);
      await sql(
        `update billing.correction_row set rerated = rerated + 1 where approval_id = ${run?.approvalId} and number = 1`,
      );
      await sql(`alter table billing.correction_row enable trigger user`);
      const other = await site().testBed.user('third', 0);
      await site().testBed.root.data('POST', '/api/user/manage', { id: other.id, action: 'promote' });
      const { body } = await other.call('POST', `/api/approval/${run?.approvalId}/approve`, {});
      expect((body as { code?: string }).code).toBe('correction-altered');
      expect((await look()).faults).toEqual([]);
    }, 60_000);
  });
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getPrices, optionChanged, pollBilling } from '@tollgate/contracts';
import type { PricingReply } from '@tollgate/contracts/api/pricing';
import { EventLog, Metrics, toEnvelope } from '@tollgate/chassis';
import { rate } from '@tollgate/pricing';
import { eventually, hasPostgres } from '@tollgate/testing';
import { Client } from 'pg';
import { RequestConsumedConsumer } from '../src/booking/request-consumed.consumer.js';
import { PriceService } from '../src/pricing/price.service.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

const suite = hasPostgres() ? describe : describe.skip;

suite('prices', () => {
  let testBed: BillingTestBed;
  beforeAll(async () => {
    testBed = await startBilling({
      UserUsableGroups: '{"default":"默认分组","gone":"没有倍率"}',
      GroupRatio: '{"default":1,"vip":0.5}',
    });
    testBed.setAbilities([
      { group: 'vip', model: 'o1' },
      { group: 'default', model: 'gpt-4o-mini' },
      { group: 'vip', model: 'gpt-4o-mini' },
      { group: 'default', model: 'dall-e-3' },
      { group: 'default', model: 'nobody-priced-this' },
    ]);
  });
  afterAll(() => testBed.close());

  const current = async () => {
    const { revision, document } = await testBed.call(getPrices, {});
    if (!document) throw new Error('no prices');
    return { revision, document };
  };
  const publish = () => testBed.inContext(() => testBed.get(PriceService).publish());

  it('publishes a version from the options at the first start', async () => {
    const { revision, document } = await current();
    expect(document).toMatchObject({
      quotaPerUnit: 500_000,
      groupRatio: { default: 1, vip: 0.5 },
      modelRatio: { 'gpt-4o-mini': 0.075 },
    });
    expect(await testBed.call(pollBilling, { tokensSince: 0 })).toMatchObject({ priceRevision: revision });
    expect(await testBed.outbox('price-published')).toMatchObject([{ priceVersion: document.id, revision }]);
  });

  it('publishes a new version when a pricing option changes, keeps the old one, and ignores other options', async () => {
    const before = await current();
    const change = async (values: Record<string, string>) => {
      testBed.setOptions(values);
      const records = Object.keys(values).map((key) => {
        const event = toEnvelope(optionChanged, 'identity', { key, revision: testBed.neighbours.optionRevision });
        return { key: event.subject, value: JSON.stringify(event) };
      });
      await testBed.get(EventLog).append(optionChanged.name, records);
    };
    await change({ SystemName: 'Another name' });
    await change({ ModelRatio: '{"gpt-4o-mini":0.1,"o1":7.5}' });
    await eventually('a new version', async () => (await current()).document.id !== before.document.id);
    const after = await current();
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(after.document.modelRatio).toEqual({ 'gpt-4o-mini': 0.1, o1: 7.5 });
    expect((await testBed.call(getPrices, { id: before.document.id })).document).toEqual(before.document);
    expect((await testBed.call(getPrices, { id: 'unknown' })).document).toBeNull();
    expect(await testBed.outbox('price-published')).toHaveLength(2);
  });

  it('publishes a version once, and never older options over newer ones', async () => {
    testBed.setOptions({ QuotaPerUnit: '400000' });
    await Promise.all(Array.from({ length: 5 }, publish));
    expect(await testBed.outbox('price-published')).toHaveLength(3);
    const newest = await current();
    await testBed.sql(`update "price_publication" set "option_revision" = 1000 where "revision" = ?`, [
      newest.revision,
    ]);
    testBed.setOptions({ QuotaPerUnit: '300000' });
    await publish();
    expect(await current()).toEqual(newest);
    await testBed.sql(`update "price_publication" set "option_revision" = 0 where "revision" = ?`, [newest.revision]);
    testBed.setOptions({ QuotaPerUnit: '500000' });
    await publish();
  });

  it('refuses changes of versions and of their publications', async () => {
    for (const harm of [
      `update "price_version" set "created_at" = now()`,
      `delete from "price_version"`,
      `update "price_publication" set "published_at" = now()`,
      `update "price_publication" set "price_version" = 'x'`,
      `delete from "price_publication"`,
    ])
      await expect(testBed.sql(harm)).rejects.toThrow(/append-only/);
    const [row] = await testBed.sql<{ publishedAt: Date; mintedAt: Date; version: string }>(
      `select p."published_at" as "publishedAt", v."created_at" as "mintedAt", v."id" as "version" from "price_publication" p
       join "price_version" v on v."id" = p."price_version" order by p."revision" desc limit 1`,
    );
    const told = (await testBed.outbox<Record<string, string>>('price-published')).at(-1);
    expect(told?.['priceVersion']).toBe(row?.version);
    for (const name of ['publishedAt', 'mintedAt'] as const)
      expect(new Date(told?.[name] ?? 0).getTime()).toBe(new Date(row?.[name] ?? 1).getTime());
  });

  it('detects by the id of a version whether its prices were changed', async () => {
    const check = 'price versions are what was published';
    expect(await testBed.faultsOf(check)).toEqual([]);
    const { id } = (await current()).document;
    const harm = async (units: number): Promise<void> => {
      const client = new Client({ connectionString: testBed.harness.host.env.DATABASE_URL });
      await client.connect();
      const change = `update billing.price_version set document = jsonb_set(document, '{quotaPerUnit}', '${units}') where id = '${id}'`;
      await client.query(`set session_replication_role = replica; ${change}`).finally(() => client.end());
    };
    await harm(1);
    expect(await testBed.faultsOf(check)).toEqual([`price version ${id}`]);
    await harm(500_000);
    expect(await testBed.faultsOf(check)).toEqual([]);
  });

  it('reproduces charges by the version they name, and counts those it cannot', async () => {
    const { document } = await current();
    const usage = {
      semantics: 'openai',
      inputTokens: 1000,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 100,
    } as const;
    const price = {
      modelRatio: 0.1,
      completionRatio: document.completionRatio['gpt-4o-mini'] ?? 4,
      groupRatio: 1,
      modelPrice: -1,
      quotaPerUnit: 500_000,
      cacheRatio: document.cacheRatio['gpt-4o-mini'] ?? 1,
      cacheCreationRatio: 1.25,
    };
    const good = consumed({ userId: 1, usage, priceVersion: document.id, quota: rate(usage, price) });
    const wrong = consumed({ userId: 1, usage, priceVersion: document.id, quota: good.data.quota + 1 });
    const lost = consumed({ userId: 1, usage, priceVersion: 'lost', quota: good.data.quota });
    await testBed.inContext(() => testBed.get(RequestConsumedConsumer).book([good, wrong, lost]));
    const metric = await testBed.get(Metrics).registry.getSingleMetric('tollgate_billing_rating_faults_total')?.get();
    const faults = Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [labels['fault'], value]));
    expect(faults).toEqual({ quota: 1, 'unknown-version': 1 });
    const [row] = await testBed.sql<{ spent: string }>(`select "spent" from "account" where "user_id" = 1`);
    expect(Number(row?.spent)).toBe(3 * good.data.quota + 1);
  });

  describe('GET /api/pricing', () => {
    const pricing = async (as?: { id: number; role?: 1 | 10; group?: string }): Promise<PricingReply> => {
      const { body } = await testBed.harness.request('GET', '/api/pricing', { ...(as && { as }) });
      return body as unknown as PricingReply;
    };

    it('shows a visitor every model by name, and of its groups those that everybody may use', async () => {
      const reply = await pricing();
      expect(reply).toMatchObject({
        success: true,
        message: '',
        usable_group: { default: '默认分组', gone: '没有倍率' },
        group_ratio: { default: 1 },
      });
      expect(reply.data.map(({ model_name }) => model_name)).toEqual([
        'dall-e-3',
        'gpt-4o-mini',
        'nobody-priced-this',
        'o1',
      ]);
      expect(reply.data[3]).toMatchObject({ model_name: 'o1', enable_groups: [], priced: true });
      expect(JSON.stringify(reply)).not.toContain('vip');
      expect(reply.data[0]).toMatchObject({
        quota_type: 1,
        model_ratio: 0,
        model_price: 0.04,
        completion_ratio: 0,
        owner_by: '',
        priced: true,
      });
      expect(reply.data[1]).toMatchObject({
        quota_type: 0,
        model_ratio: 0.1,
        model_price: 0,
        enable_groups: ['default'],
        priced: true,
      });
      expect(reply.data[2]).toMatchObject({ quota_type: 0, model_ratio: 37.5, priced: false });
    });

    it('shows a user their own group too, and an administrator every group of a model', async () => {
      const vip = await pricing({ id: 5, group: 'vip' });
      expect(vip.usable_group['vip']).toBe('用户分组');
      expect(vip.group_ratio['vip']).toBe(0.5);
      expect(vip.data.find(({ model_name }) => model_name === 'gpt-4o-mini')?.enable_groups).toEqual([
        'default',
        'vip',
      ]);
      const admin = await pricing({ id: 6, role: 10 });
      expect(admin.data.find(({ model_name }) => model_name === 'o1')?.enable_groups).toEqual(['vip']);
      expect(admin.usable_group['vip']).toBeUndefined();
    });
  });

  it('names groups for administrators and rates them for users', async () => {
    const get = async (path: string, as?: { id: number; role?: 1 | 10; group?: string }) => {
      const { body } = await testBed.harness.request('GET', path, { ...(as && { as }) });
      return body.success ? body.data : body.message;
    };
    expect(await get('/api/group/', { id: 6, role: 10 })).toEqual(['default', 'vip']);
    expect(await get('/api/group', { id: 5 })).toBe('无权进行此操作，权限不足');
    expect(await get('/api/user/self/groups', { id: 5, group: 'vip' })).toEqual({
      default: { ratio: 1, desc: '默认分组' },
      vip: { ratio: 0.5, desc: '用户分组' },
    });
    expect(await get('/api/user/groups')).toEqual({ default: { ratio: 1, desc: '默认分组' } });
  });
});

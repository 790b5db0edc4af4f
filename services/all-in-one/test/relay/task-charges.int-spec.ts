import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Proof } from '@tollgate/contracts/api/proof';
import { eventually } from '@tollgate/testing';
import { quotaOf, rowOf } from '../support/relay-site.js';
import { TaskWorld } from './task-world.js';

describe('charges of drawings and songs', () => {
  const world = new TaskWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());
  beforeEach(() => world.reset());

  it('refunds a failed drawing once, with a log row', async () => {
    const caller = await world.testBed.user('refunded', 100_000);
    const mine = { 'mj-api-secret': await world.testBed.token(caller) };
    const submitted = await world.call('/mj/submit/imagine', { prompt: 'a cat' }, mine);
    const task = submitted.json.result;
    await eventually('the drawing is charged', async () => (await quotaOf(world.testBed, caller.id)) === 50_000);
    world.upstream.drawings.set(task, { id: task, status: 'FAILURE', progress: '10%', failReason: 'banned prompt' });
    await eventually('the charge is returned', async () => (await quotaOf(world.testBed, caller.id)) === 100_000);
    const told = async (): Promise<string[]> =>
      (await world.testBed.root.data<{ items: { content: string }[] }>('GET', '/api/log/?type=4')).items.map(
        ({ content }) => content,
      );
    await eventually('the user is told', async () => (await told()).includes(`构图失败 ${task}，补偿 ＄0.100000 额度`));
    expect((await world.call(`/mj/task/${task}/fetch`, undefined, mine)).json).toMatchObject({
      status: 'FAILURE',
      failReason: 'banned prompt',
    });
    // The chain of proof contains the place of both events in the event log.
    const { steps } = await world.testBed.root.data<Proof>('GET', `/api/proof/task/${submitted.id}`);
    const events = steps.filter(({ link }) => link === 'event').map(({ facts }) => facts.map(({ name }) => name));
    expect(events).toEqual(Array.from({ length: 2 }, () => ['topic', 'id', 'partition', 'offset']));
    const topics = steps.flatMap(({ facts }) => facts.filter(({ name }) => name === 'topic'));
    expect(topics.map(({ value }) => value)).toEqual(['request-consumed', 'task-refunded']);
  }, 60_000);

  it('charges nothing for a task that the upstream refuses, and returns its error', async () => {
    const caller = await world.testBed.user('refused', 100_000);
    const mine = { 'mj-api-secret': await world.testBed.token(caller) };
    world.upstream.answer = { body: { code: 24, description: '可能包含敏感词', properties: { bannedWord: 'nude' } } };
    const { status, id, json } = await world.call('/mj/submit/imagine', { prompt: 'x' }, mine);
    expect({ status, json }).toEqual({ status: 200, json: world.upstream.answer.body });
    expect(await rowOf(world.testBed, id)).toMatchObject({ type: 5, quota: 0 });
    world.upstream.answer = { body: { code: 30, description: 'full' } };
    expect((await world.call('/mj/submit/imagine', { prompt: 'x' }, mine)).status).toBe(429);
    expect(await quotaOf(world.testBed, caller.id)).toBe(100_000);
  });

  it('refunds a drawing that the upstream accepted without an id', async () => {
    const caller = await world.testBed.user('nameless', 1_000_000);
    const mine = { 'mj-api-secret': await world.testBed.token(caller) };
    world.upstream.answer = { body: { code: 1, description: 'ok' } };
    const { status, id, json } = await world.call('/mj/submit/imagine', { prompt: 'x' }, mine);
    expect({ status, json }).toEqual({ status: 200, json: world.upstream.answer.body });
    expect(await rowOf(world.testBed, id)).toMatchObject({ type: 2, quota: 50_000 });
    await eventually('the charge is returned', async () => (await quotaOf(world.testBed, caller.id)) === 1_000_000);
  });

  it.each([
    ['drawing', '/mj/submit/imagine', { prompt: 'a cat' }, 50_000],
    ['song', '/suno/submit/music', { prompt: 'a song' }, 50_000],
  ])('submits a %s once for an Idempotency-Key, and charges it once', async (kind, path, body, price) => {
    const caller = await world.testBed.user(`two ${kind}`, 1_000_000);
    const token = await world.testBed.token(caller);
    const headers = { 'mj-api-secret': token, authorization: `Bearer ${token}`, 'idempotency-key': `once ${kind}` };
    const first = await world.call(path, body, headers);
    const again = await world.call(path, body, headers);
    expect([first.status, again]).toEqual([200, first]);
    expect(world.submissions()).toHaveLength(1);
    const other = await world.call(path, { ...body, prompt: 'something else' }, headers);
    expect(other.status).toBe(422);
    await eventually('it is charged', async () => (await quotaOf(world.testBed, caller.id)) === 1_000_000 - price);
    const elsewhere = await world.call(path, body, { ...headers, 'idempotency-key': `twice ${kind}` });
    expect([elsewhere.status, world.submissions().length]).toEqual([200, 2]);
  });

  it('runs a submission again with the same Idempotency-Key after the upstream refused it', async () => {
    const mine = { 'mj-api-secret': world.key, 'idempotency-key': 'refused first' };
    world.upstream.answer = { body: { code: 24, description: '可能包含敏感词' } };
    expect((await world.call('/mj/submit/imagine', { prompt: 'a dog' }, mine)).json.code).toBe(24);
    world.upstream.answer = undefined;
    expect((await world.call('/mj/submit/imagine', { prompt: 'a dog' }, mine)).json.code).toBe(1);
  });

  it('charges nothing for opening a modal, and refuses an empty wallet', async () => {
    const { task } = await world.imagine();
    world.upstream.drawings.set(task, { id: task, status: 'SUCCESS', progress: '100%' });
    await eventually(
      'the drawing is ready',
      async () => (await world.call<{ status: string }>(`/mj/task/${task}/fetch`)).json.status === 'SUCCESS',
    );
    const inpaint = { taskId: task, customId: 'MJ::Inpaint::1::x::SOLO' };
    world.upstream.answer = { body: { code: 21, description: 'window', result: 'mj-window' } };
    const window = await world.call('/mj/submit/action', inpaint);
    expect(window.json).toMatchObject({ code: 21 });
    expect(await rowOf(world.testBed, window.id)).toMatchObject({ type: 2, quota: 0, model_name: 'mj_inpaint' });
    world.upstream.answer = undefined;
    const poor = await world.testBed.token(await world.testBed.user('poor', 10));
    const refused = await world.call('/mj/submit/imagine', { prompt: 'x' }, { 'mj-api-secret': poor });
    expect(refused).toMatchObject({ status: 400, json: { description: 'quota_not_enough', code: 4 } });
  }, 60_000);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import {
  type EventOf,
  findPicture,
  findTasks,
  emptyTaskUpdate,
  noteTask,
  openTask,
  personOfChannel,
  settleTask,
  userErased,
  type taskUpdated,
} from '@tollgate/contracts';
import type { CreativeTask, Drawing } from '@tollgate/contracts/api/task';
import { InternalClient, Metrics, pictureTask, SecretBox, toEnvelope } from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import { hasPostgres, startTaskUpstream, TASK_KEY, type TaskUpstream } from '@tollgate/testing';
import { v7 } from 'uuid';
import { ConsumptionService } from '../src/suspicion/consumption.service.js';
import { UserErasedConsumer } from '../src/person/user-erased.consumer.js';
import { TaskPoller } from '../src/task/task.poller.js';
import { TaskService } from '../src/task/task.service.js';
import { ChannelTestBed, dataOf } from './channel-test-bed.js';
import { consumed } from './consumed-event.js';

const suite = hasPostgres() ? describe : describe.skip;
type Updated = EventOf<typeof taskUpdated>['data'];

suite('tasks', () => {
  let testBed: ChannelTestBed;
  let upstream: TaskUpstream;
  let drawer: number;
  let singer: number;
  beforeAll(async () => {
    [testBed, upstream] = await Promise.all([ChannelTestBed.start(), startTaskUpstream()]);
    // The tests trigger each poll themselves; a periodic one would poll the same tasks on a slow machine.
    jest.spyOn(testBed.get(Leader), 'isLeader', 'get').mockReturnValue(false);
    drawer = await testBed.createOne({ type: 2, key: TASK_KEY, base_url: upstream.url, models: 'mj_imagine' });
    singer = await testBed.createOne({ type: 36, key: TASK_KEY, base_url: upstream.url, models: 'suno_music' });
  });
  afterAll(async () => {
    await testBed.close();
    await upstream.close();
  });
  beforeEach(() => testBed.query('delete from "task"'));

  const internal = () => testBed.get<InternalClient>(InternalClient as unknown as Type<InternalClient>);
  const submit = async (given: Partial<{ userId: number; suno: boolean; upstreamId: string; at: number }> = {}) => {
    const { userId = 5, suno = false, upstreamId = `up-${v7()}`, at = Date.now() } = given;
    const requestId = v7();
    await internal().call(openTask, {
      ...{ requestId, userId, tokenId: 3, channelId: suno ? singer : drawer, platform: suno ? 'suno' : 'midjourney' },
      ...{ action: suno ? 'MUSIC' : 'IMAGINE', prompt: 'a cat\u0000', submittedAt: at },
    });
    const code = upstreamId === '' ? 24 : 1;
    const failReason = upstreamId === '' ? 'banned words' : '';
    const quota = upstreamId === '' ? 0 : 50_000;
    const settled = { requestId, upstreamId, code, quota, news: { ...emptyTaskUpdate, failReason } };
    await internal().call(settleTask, settled);
    await internal().call(settleTask, settled);
    return { requestId, upstreamId };
  };
  const look = async (): Promise<void> => {
    await testBed.query(`update "task" set "poll_at" = now() - interval '1 second' where "over_at" is null`);
    await testBed.inSession(() => testBed.get(TaskPoller).pollDue());
  };
  const drawings = async (query: Record<string, string | number> = {}) =>
    dataOf((await testBed.call<Drawing[]>('GET', '/api/mj/', undefined, query)).body);
  const updates = async (requestId: string) =>
    (await testBed.events<Updated>('task-updated')).filter((data) => data.requestId === requestId);

  it('exposes as a metric how long the most overdue poll is late', async () => {
    const metrics = testBed.get<Metrics>(Metrics as never);
    const overdue = async (): Promise<number> => {
      const text = await metrics.registry.getSingleMetricAsString('tollgate_channel_tasks_overdue_seconds');
      return Number(/ (\S+)$/.exec(text)?.[1]);
    };
    expect(await overdue()).toBe(0);
    await submit();
    await testBed.query(`update "task" set "poll_at" = now() - interval '1 hour'`);
    expect(await overdue()).toBeGreaterThan(3000);
    await testBed.query(`update "task" set "over_at" = now()`);
    expect(await overdue()).toBe(0);
  });

  it('shows a drawing from submission to picture, at a signed address of this installation', async () => {
    const { upstreamId } = await submit();
    expect(await drawings()).toMatchObject([
      { mj_id: upstreamId, status: 'SUBMITTED', progress: '0%', code: 1, channel_id: drawer, prompt: 'a cat\ufffd' },
    ]);
    const imageUrl = `${upstream.url}/pictures/cat.png`;
    const preview = { imageUrl: `${upstream.url}/pictures/preview.png`, startTime: 1 };
    upstream.drawings.set(upstreamId, { id: upstreamId, status: 'IN_PROGRESS', progress: '40%', ...preview });
    await look();
    const [begun] = await drawings();
    expect(begun).toMatchObject({ progress: '40%', image_url: expect.stringMatching(/&rand=\d{19}$/) });
    const { picture } = await internal().call(findPicture, { taskId: begun?.id ?? 0 });
    expect(picture).toMatchObject({ url: preview.imageUrl, isFinal: false });
    upstream.drawings.set(upstreamId, { id: upstreamId, status: 'SUCCESS', progress: '100%', imageUrl, buttons: [{}] });
    await look();
    const [done] = await drawings();
    expect(done).toMatchObject({
      status: 'SUCCESS',
      progress: '100%',
      buttons: '[{}]',
      properties: '',
      refunded: false,
    });
    const url = new URL(done?.image_url ?? '');
    expect([url.pathname, url.searchParams.has('rand')]).toEqual([`/mj/image/${upstreamId}`, false]);
    const secrets = testBed.get<SecretBox>(SecretBox as unknown as Type<SecretBox>);
    const taskId = pictureTask(secrets, { id: upstreamId, sign: url.searchParams.get('sign') ?? '' }, Date.now());
    expect(await internal().call(findPicture, { taskId: taskId ?? 0 })).toEqual({
      picture: { url: imageUrl, proxy: '', isOfChannel: true, isFinal: true },
    });
  });

  it('shows of the properties that a proxy keeps only the prompts', async () => {
    const { upstreamId } = await submit();
    const properties = { finalPrompt: 'a cat --v 6', finalZhPrompt: '', discordInstanceId: '118', nonce: 7 };
    upstream.drawings.set(upstreamId, { id: upstreamId, status: 'IN_PROGRESS', progress: '40%', properties });
    await look();
    expect(await drawings()).toMatchObject([{ properties: '{"finalPrompt":"a cat --v 6","finalZhPrompt":""}' }]);
  });

  it('publishes a failure once, with the data for the refund, also before the call is counted, and ignores later updates', async () => {
    await testBed.query('update "channel" set "used_quota" = 10000 where "id" = ?', [drawer]);
    const { requestId, upstreamId } = await submit();
    upstream.drawings.set(upstreamId, { id: upstreamId, status: 'FAILURE', progress: '30%', failReason: 'banned' });
    await Promise.all([look(), look(), look()]);
    upstream.drawings.set(upstreamId, { id: upstreamId, status: 'SUCCESS', progress: '100%' });
    await look();
    expect(await drawings()).toMatchObject([
      { status: 'FAILURE', progress: '100%', fail_reason: 'banned', refunded: true, quota: 50_000 },
    ]);
    const ends = (await updates(requestId)).filter(({ isOver }) => isOver);
    expect(ends).toMatchObject([{ userId: 5, tokenId: 3, status: 'FAILURE', upstreamId }]);
    expect((await testBed.find(drawer)).used_quota).toBe(0);
    const calls = [consumed({ channelId: drawer, quota: 50_000 })];
    await testBed.inSession(() => testBed.get(ConsumptionService).count(calls));
    expect((await testBed.find(drawer)).used_quota).toBe(10_000);
  });

  it('refunds once when polls, callbacks and time-outs report the end at the same time', async () => {
    await testBed.query('update "channel" set "used_quota" = 60000 where "id" = ?', [drawer]);
    const { requestId, upstreamId } = await submit();
    const [row] = await drawings();
    const news = (status: string) => ({ ...emptyTaskUpdate, status, progress: '100%', failReason: 'banned' });
    upstream.drawings.set(upstreamId, { id: upstreamId, status: 'FAILURE', progress: '30%', failReason: 'banned' });
    await testBed.query(`update "task" set "poll_at" = now() - interval '1 second' where "over_at" is null`);
    const tasks = testBed.get(TaskService);
    const told = { requestId, channelId: drawer, upstreamId, news: news('FAILURE') };
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        if (index % 4 === 0) return testBed.inSession(() => testBed.get(TaskPoller).pollDue());
        if (index % 4 === 1) return internal().call(noteTask, told);
        if (index % 4 === 2) return testBed.inSession(() => tasks.fail(row!.id, 'late'));
        return testBed.inSession(() => tasks.applyPolled(row!.id, news('FAILURE')));
      }),
    );
    await internal().call(noteTask, { ...told, news: { ...news('SUCCESS'), failReason: '' } });
    expect(await drawings()).toMatchObject([{ status: 'FAILURE', progress: '100%', refunded: true }]);
    expect((await updates(requestId)).filter(({ isOver }) => isOver)).toHaveLength(1);
    expect((await testBed.find(drawer)).used_quota).toBe(10_000);
  });

  it('of an erased user lose their texts, also later ones, and are exported completely before', async () => {
    const userId = 77;
    const running = await submit({ userId });
    const over = await submit({ userId, upstreamId: '' });
    const read = () => internal().call(personOfChannel, { userId, section: 'tasks', after: null });
    expect((await read()).rows).toMatchObject([
      { prompt: 'a cat\ufffd', quota: 50_000 },
      { failReason: 'banned words' },
    ]);
    expect(JSON.stringify(await read())).not.toContain('channelId');

    const { erased } = testBed.get<UserErasedConsumer>(UserErasedConsumer);
    const event = toEnvelope(userErased, 'identity', { userId, pseudonym: 'erased-77' });
    await testBed.inSession(async () => {
      await erased.note([event]);
      await erased.note([event]);
      for (let passes = 0; passes === 0;) {
        await erased.run();
        const [row] = await testBed.query<{ passes: number }>(
          'select "passes" from "erased_user" where "user_id" = 77',
        );
        passes = row?.passes ?? 0;
      }
    });
    const rows = () =>
      testBed.query<Record<string, unknown>>('select * from "task" where "user_id" = 77 order by "id"');
    expect(await rows()).toMatchObject([
      { prompt: '', fail_reason: '', quota: '50000', request_id: running.requestId },
      { prompt: '', fail_reason: '已抹除', request_id: over.requestId },
    ]);
    const imageUrl = `${upstream.url}/pictures/cat.png`;
    upstream.drawings.set(running.upstreamId, {
      ...{
        id: running.upstreamId,
        status: 'FAILURE',
        progress: '30%',
        failReason: 'a cat',
        promptEn: 'a cat',
        imageUrl,
      },
    });
    await look();
    await submit({ userId, upstreamId: '' });
    const later = await rows();
    expect(later).toMatchObject([{ status: 'FAILURE', fail_reason: '已抹除', is_refunded: true }, {}, { prompt: '' }]);
    expect(JSON.stringify(later)).not.toMatch(/cat|banned/);
    expect(JSON.stringify(await updates(running.requestId))).not.toContain('cat');
    await testBed.query('delete from "erased_user"');
  });

  it('removes the key and address of the channel from texts of the upstream', async () => {
    const { upstreamId } = await submit();
    const failReason = `${TASK_KEY} was refused by ${upstream.url}/v2`;
    upstream.drawings.set(upstreamId, { id: upstreamId, status: 'FAILURE', progress: '30%', failReason });
    await look();
    expect(await drawings()).toMatchObject([{ status: 'FAILURE', fail_reason: '*** was refused by ***/v2' }]);
  });

  it('ends a task that the upstream refused, at once and without a refund', async () => {
    const { requestId } = await submit({ upstreamId: '' });
    expect(await drawings()).toMatchObject([{ status: 'FAILURE', code: 24, fail_reason: 'banned words', quota: 0 }]);
    expect(await updates(requestId)).toEqual([]);
  });

  it('ends tasks that time out, were never answered, or whose channel was deleted', async () => {
    const late = await submit({ at: Date.now() - 3_600_001 });
    upstream.drawings.set(late.upstreamId, { id: late.upstreamId, status: 'IN_PROGRESS', progress: '40%' });
    const forgotten = await submit({ at: Date.now() - 3_600_001 });
    const gone = await submit();
    await testBed.query('update "task" set "channel_id" = 9999 where "request_id" = ?', [gone.requestId]);
    const requestId = v7();
    await internal().call(openTask, {
      ...{ requestId, userId: 5, tokenId: 0, channelId: drawer, platform: 'midjourney' },
      ...{ action: 'IMAGINE', prompt: '', submittedAt: Date.now() - 601_000 },
    });
    await look();
    const reasons = new Map((await drawings()).map((row) => [row.request_id, row.fail_reason]));
    expect(reasons.get(late.requestId)).toBe('上游任务超时（超过1小时）');
    expect(reasons.get(forgotten.requestId)).toBe('上游任务超时（超过1小时）');
    expect(reasons.get(gone.requestId)).toBe('获取渠道信息失败，请联系管理员，渠道ID：9999');
    const asked = { userId: 5, platform: 'midjourney' as const, upstreamIds: [gone.upstreamId] };
    const { tasks } = await internal().call(findTasks, asked);
    const { rows } = await internal().call(personOfChannel, { userId: 5, section: 'tasks', after: null });
    const own = rows.find(({ requestId: its }) => its === gone.requestId);
    expect([tasks[0]?.failReason, own?.failReason]).toEqual(Array(2).fill('获取渠道信息失败，请联系管理员'));
    expect(reasons.get(requestId)).toBe('提交后未收到上游的任务编号');
    expect((await updates(requestId)).map(({ isOver }) => isOver)).toEqual([true]);
  });

  it.each([
    ['drawing', false, 3_600_001],
    ['song', true, 24 * 3_600_001],
  ])('asks once more for a %s that is past its time, and keeps what is finished', async (_, suno, age) => {
    const { requestId, upstreamId } = await submit({ suno, at: Date.now() - age });
    const done = { status: 'SUCCESS', progress: '100%' };
    if (suno) upstream.songs.set(upstreamId, { task_id: upstreamId, ...done });
    else upstream.drawings.set(upstreamId, { id: upstreamId, ...done });
    await look();
    const rows = await testBed.query('select "status", "is_refunded" from "task" where "request_id" = ?', [requestId]);
    expect(rows).toEqual([{ status: 'SUCCESS', is_refunded: false }]);
    expect((await updates(requestId)).filter(({ isOver }) => isOver)).toMatchObject([{ status: 'SUCCESS' }]);
  });

  it('ends a task past its time whose upstream does not answer, and only that', async () => {
    const late = await submit({ at: Date.now() - 3_600_001 });
    const young = await submit();
    await testBed.query('update "channel" set "base_url" = ? where "id" = ?', ['http://127.0.0.1:1', drawer]);
    await look();
    await testBed.query('update "channel" set "base_url" = ? where "id" = ?', [upstream.url, drawer]);
    const states = new Map((await drawings()).map((row) => [row.request_id, row]));
    expect(states.get(late.requestId)).toMatchObject({ status: 'FAILURE', refunded: true });
    expect(states.get(young.requestId)).toMatchObject({ status: 'SUBMITTED', refunded: false });
  });

  it('does not end a task past its time because what was heard of it could not be kept', async () => {
    const { upstreamId } = await submit({ at: Date.now() - 3_600_001 });
    upstream.drawings.set(upstreamId, { id: upstreamId, status: 'SUCCESS', progress: '100%' });
    const spy = jest.spyOn(testBed.get(TaskService), 'applyPolled').mockRejectedValueOnce(new Error('planted'));
    try {
      await look();
    } finally {
      spy.mockRestore();
    }
    expect(await drawings()).toMatchObject([{ status: 'SUBMITTED', refunded: false }]);
    await look();
    expect(await drawings()).toMatchObject([{ status: 'SUCCESS', refunded: false }]);
  });

  it('polls many tasks in one call, less often when nothing changes, and survives an upstream that is down', async () => {
    const before = upstream.calls.length;
    await Promise.all(Array.from({ length: 60 }, () => submit()));
    await look();
    const asked = upstream.calls.slice(before).filter(({ path }) => path.endsWith('list-by-condition'));
    expect(asked.map(({ body }) => (body.ids as string[]).length).sort()).toEqual([10, 50]);
    await testBed.query('update "channel" set "base_url" = ? where "id" = ?', ['http://127.0.0.1:1', drawer]);
    await look();
    await testBed.query('update "channel" set "base_url" = ? where "id" = ?', [upstream.url, drawer]);
    const rows = await testBed.query<{ idle_polls: number }>('select distinct "idle_polls" from "task"');
    expect(rows).toEqual([{ idle_polls: 2 }]);
  });

  it('ignores a time that cannot be stored, and still updates the other tasks', async () => {
    const odd = await submit();
    const other = await submit();
    // Microseconds instead of milliseconds.
    const times = { startTime: 1.7e15, finishTime: 253_402_300_800_000 };
    upstream.drawings.set(odd.upstreamId, { id: odd.upstreamId, status: 'SUCCESS', progress: '100%', ...times });
    upstream.drawings.set(other.upstreamId, { id: other.upstreamId, status: 'IN_PROGRESS', progress: '40%' });
    await look();
    const [second, first] = await drawings();
    expect(second).toMatchObject({ mj_id: other.upstreamId, status: 'IN_PROGRESS', progress: '40%' });
    expect(first).toMatchObject({ mj_id: odd.upstreamId, status: 'SUCCESS', start_time: 0 });
    expect(Math.abs((first?.finish_time ?? 0) - Date.now())).toBeLessThan(3_600_000);
  });

  it('updates the other tasks of a batch when one update fails', async () => {
    const tasks = await Promise.all(Array.from({ length: 3 }, () => submit()));
    const ids = new Map((await drawings()).map(({ id, mj_id: upstreamId }) => [upstreamId, id]));
    for (const { upstreamId } of tasks)
      upstream.drawings.set(upstreamId, { id: upstreamId, status: 'IN_PROGRESS', progress: '40%' });
    const service = testBed.get(TaskService);
    const apply = service.applyPolled.bind(service);
    const bad = ids.get(tasks[0]?.upstreamId ?? '');
    const spy = jest
      .spyOn(service, 'applyPolled')
      .mockImplementation((id, news) => (id === bad ? Promise.reject(new Error('planted')) : apply(id, news)));
    try {
      await look();
    } finally {
      spy.mockRestore();
    }
    const rows = await drawings();
    expect(rows.map(({ id, progress }) => [id === bad, progress]).sort()).toEqual([
      [false, '40%'],
      [false, '40%'],
      [true, '0%'],
    ]);
    await look();
    expect((await drawings()).map(({ progress }) => progress)).toEqual(['40%', '40%', '40%']);
  });

  it('polls a song to its end and stores the result, without the key of the channel', async () => {
    const { upstreamId } = await submit({ suno: true });
    const data = [{ audio_url: 'https://cdn.example.com/a.mp3', error: '***' }];
    const told = [{ ...data[0], error: TASK_KEY }];
    upstream.songs.set(upstreamId, { task_id: upstreamId, status: 'SUCCESS', progress: '100%', data: told });
    await look();
    const { body } = await testBed.call<CreativeTask[]>('GET', '/api/task', undefined, { task_id: upstreamId });
    expect(dataOf(body)).toMatchObject([
      { task_id: upstreamId, platform: 'suno', action: 'MUSIC', status: 'SUCCESS', data, channel_id: singer },
    ]);
  });

  it('lists by page and filter, and shows users only their own tasks, without channels', async () => {
    const mine = await submit({ at: 1_700_000_000_000 });
    await submit({ userId: 6 });
    for (let count = 0; count < 11; count += 1) await submit();
    expect(await drawings()).toHaveLength(10);
    expect(await drawings({ p: 1 })).toHaveLength(3);
    expect(await drawings({ p: 0, page_size: 20 })).toHaveLength(13);
    expect(await drawings({ mj_id: mine.upstreamId })).toHaveLength(1);
    expect(await drawings({ channel_id: singer })).toEqual([]);
    expect(await drawings({ channel_id: 99_999_999_999 })).toEqual([]);
    expect(await drawings({ start_timestamp: 1, end_timestamp: 1_700_000_000_000 })).toHaveLength(1);
    expect(await drawings({ end_timestamp: 'NaN', start_timestamp: '' })).toHaveLength(10);
    for (const late of [253_402_300_800_000, 8.64e15, Number.MAX_SAFE_INTEGER]) {
      expect(await drawings({ start_timestamp: late })).toEqual([]);
      expect(await drawings({ end_timestamp: late })).toHaveLength(10);
      const { body } = await testBed.call<CreativeTask[]>('GET', '/api/task', undefined, { end_timestamp: late });
      expect(body).toMatchObject({ success: true, data: [] });
    }
    const asUser = { as: { id: 6, role: 1 } } as const;
    const own = await testBed.harness.request<Drawing[]>('GET', '/api/mj/self/', asUser);
    expect(dataOf(own.body)).toMatchObject([{ user_id: 6, channel_id: 0 }]);
    expect((await testBed.harness.request<Drawing[]>('GET', '/api/task/self', asUser)).body).toMatchObject({
      data: [],
    });
    const found = await internal().call(findTasks, {
      ...{ userId: 6, platform: 'midjourney', upstreamIds: [mine.upstreamId] },
    });
    expect(found.tasks).toEqual([]);
  });

  it('polls each drawing once when several processes poll at the same time', async () => {
    await Promise.all(Array.from({ length: 20 }, () => submit()));
    await testBed.query(`update "task" set "poll_at" = now() - interval '1 second'`);
    const before = upstream.calls.length;
    const poller = testBed.get(TaskPoller);
    await Promise.all([1, 2, 3].map(() => testBed.inSession(() => poller.pollDue())));
    const ids = upstream.calls.slice(before).flatMap(({ body }) => (body.ids as string[] | undefined) ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

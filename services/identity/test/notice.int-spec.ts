import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  channelDisabled,
  channelTestsFinished,
  type EventContract,
  type EventOf,
  quotaLow,
  topUpCompleted,
} from '@tollgate/contracts';
import type { Delivery as DeliveryReply } from '@tollgate/contracts/api/delivery';
import { EventLog, serialise, toEnvelope } from '@tollgate/chassis';
import { RequestContext } from '@mikro-orm/core';
import { hasPostgres, type MailServer, readUntil, startMailServer } from '@tollgate/testing';
import { Delivery } from '../src/delivery/delivery.entity.js';
import { Notices } from '../src/notice/notices.js';
import { User } from '../src/user/user.entity.js';
import { type Account, addUser, type Answer, setUp, type TestBed, startIdentity } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('notices', () => {
  let testBed: TestBed;
  let root: Account;
  let server: MailServer;

  beforeAll(async () => {
    server = await startMailServer();
    testBed = await startIdentity({ TOLLGATE_RATE_LIMITS: 'off' });
    root = await setUp(testBed);
    for (const [key, value] of [
      ['SMTPPort', String(server.port)],
      ['SMTPFrom', 'us@acme.example'],
      ['SMTPServer', '127.0.0.1'],
      ['ServerAddress', 'https://acme.example'],
    ] as const)
      await testBed.request('PUT', '/api/option/', { as: root, body: { key, value } });
    await testBed.em().nativeUpdate(User, { id: root.id }, { email: 'root@acme.example' });
  }, 60_000);
  afterAll(async () => {
    await testBed?.stop();
    await server?.close();
  });

  /** Publishes the event twice, since the event log delivers at least once. */
  const publish = async <C extends EventContract>(contract: C, data: EventOf<C>['data']) => {
    const envelope = toEnvelope(contract, 'billing', data);
    const record = { key: envelope.subject, value: serialise(envelope) };
    await testBed.own(EventLog).append(contract.name, [record, record]);
  };
  const settled = (userId: number, kind: string): Promise<Delivery[]> =>
    readUntil(
      () => testBed.em().find(Delivery, { userId, kind }),
      (rows) => rows.length > 0 && rows.every(({ status }) => status !== 'waiting'),
    );

  it('are mailed once when the balance runs low, in the language in which the setting was saved', async () => {
    const user = await addUser(testBed, root);
    const body = { notify_type: 'email', quota_warning_threshold: 1000, notification_email: 'ann@example.com' };
    const headers = { 'accept-language': 'en' };
    await testBed.request('PUT', '/api/user/setting', { as: user, body, headers });
    const self = await testBed.request('GET', '/api/user/self', { as: user });
    expect((self.body.data as { setting: string }).setting).not.toContain('language');
    await publish(quotaLow, { userId: user.id, quota: 495_000, threshold: 1000 });
    const mail = await server.mailTo('ann@example.com');
    expect(mail.subject).toBe('Your quota is running out');
    expect(mail.text).toContain('＄0.990000');
    expect(mail.text).toContain('Top up in time to go on: https://acme.example/topup');
    expect(mail.html).toContain('go on: <a href="https://acme.example/topup">https://acme.example/topup</a></p>');
    expect(await settled(user.id, 'quota_exceed')).toHaveLength(1);
  });

  it('are mailed to each of several addresses alone, once', async () => {
    const user = await addUser(testBed, root);
    const typed = 'Ada@example.com; bob@example.com;ada@example.com';
    const body = { notify_type: 'email', quota_warning_threshold: 1000, notification_email: typed };
    expect((await testBed.request('PUT', '/api/user/setting', { as: user, body })).body.success).toBe(true);
    const self = await testBed.request('GET', '/api/user/self', { as: user });
    expect(JSON.parse((self.body.data as { setting: string }).setting)).toMatchObject({
      notification_email: 'ada@example.com;bob@example.com',
    });
    await publish(quotaLow, { userId: user.id, quota: 1, threshold: 1000 });
    for (const address of ['ada@example.com', 'bob@example.com'])
      expect((await server.mailTo(address)).to).toEqual([address]);
    const told = (await settled(user.id, 'quota_exceed')).map(({ target, status }) => [target, status]);
    expect(told.sort()).toEqual([
      ['ada@example.com', 'sent'],
      ['bob@example.com', 'sent'],
    ]);
  });

  it('are mailed for a top-up, unless the user has no address', async () => {
    const user = await addUser(testBed, root);
    const order = {
      orderId: 1,
      tradeNo: 'T1',
      provider: 'epay',
      method: 'alipay',
      quotaText: '',
      currency: 'CNY',
    } as const;
    const silent = await addUser(testBed, root);
    await publish(topUpCompleted, { ...order, userId: silent.id, quota: 500_000, money: '7.30' });
    await testBed.em().nativeUpdate(User, { id: user.id }, { email: 'ben@example.com' });
    await publish(topUpCompleted, { ...order, userId: user.id, quota: 1_000_000, money: '14.60' });
    const mail = await server.mailTo('ben@example.com');
    expect([mail.subject, mail.text.includes('＄2.000000'), mail.text.includes('14.60 CNY')]).toEqual([
      '充值成功',
      true,
      true,
    ]);
    expect(await settled(user.id, 'top_up')).toHaveLength(1);
    expect(await testBed.em().count(Delivery, { userId: silent.id })).toBe(0);
  });

  it('are mailed to super administrators when a channel is disabled automatically and when channel tests finish', async () => {
    const fact = { channelId: 7, name: 'main', reason: 'invalid key' };
    await publish(channelDisabled, { ...fact, automatic: false, name: 'by hand' });
    await publish(channelDisabled, { ...fact, automatic: true });
    const mail = await server.mailTo('root@acme.example', /已被禁用/);
    expect(mail.text).toContain('通道「main」（#7）已被禁用，原因：invalid key');
    await publish(channelTestsFinished, { tested: 3, failed: 1 });
    expect((await server.mailTo('root@acme.example', /通道测试完成/)).text.trim()).toBe('所有通道测试已完成');
    expect(server.mails.filter(({ subject }) => subject.includes('by hand'))).toEqual([]);
  });

  it('are sent at most twice per period for a channel that goes off repeatedly, without suppressing other channels', async () => {
    const notices = testBed.own(Notices);
    const off = (time: string, channelId: number) =>
      RequestContext.create(testBed.em(), () =>
        notices.notifyRoots(`off ${time}`, { type: 'channel_disabled', channelId, name: time, reason: '' }),
      );
    for (const time of ['first', 'second', 'second', 'third']) await off(time, 8);
    await off('another', 9);
    const told = await testBed.em().find(Delivery, { source: { $like: 'notice:off %' } }, { orderBy: { id: 'asc' } });
    expect(told.map(({ source }) => source.split(':')[1])).toEqual(['off first', 'off second', 'off another']);
  });

  it('are sent without a signature when the webhook secret cannot be decrypted', async () => {
    const user = await addUser(testBed, root);
    const setting = { notify_type: 'webhook', webhook_url: 'https://127.0.0.1/in' } as const;
    await testBed.em().nativeUpdate(User, { id: user.id }, { setting, sealedWebhookSecret: 'v1.of.another.key' });
    await publish(quotaLow, { userId: user.id, quota: 1, threshold: 1000 });
    expect(await settled(user.id, 'quota_exceed')).toMatchObject([{ via: 'webhook', target: 'https://127.0.0.1/in' }]);
  });

  it('are not sent to a private address, even one saved earlier, and the owner is mailed the reason', async () => {
    const user = await addUser(testBed, root);
    await testBed.em().nativeUpdate(
      User,
      { id: user.id },
      {
        email: 'cat@example.com',
        setting: { notify_type: 'webhook', webhook_url: 'https://127.0.0.1:9/hook?key=hidden' },
      },
    );
    await publish(quotaLow, { userId: user.id, quota: 1, threshold: 1000 });
    const [failed] = await settled(user.id, 'quota_exceed');
    expect(failed).toMatchObject({ status: 'failed', via: 'webhook', target: 'https://127.0.0.1:9/hook', attempts: 1 });
    expect(failed?.reason).toBe('不允许访问该地址：127.0.0.1');
    expect((await server.mailTo('cat@example.com')).subject).toBe('通知发送失败');
    const own = await testBed.request('GET', '/api/delivery/self', { as: user });
    const target = (answer: Answer) =>
      (answer.body.data as { items: DeliveryReply[] }).items.find(({ id }) => id === failed?.id)?.target;
    const all = await testBed.request('GET', '/api/delivery/', { as: root });
    expect([target(own), target(all)]).toEqual(['https://127.0.0.1:9/hook', 'https://127.0.0.1:9']);
    const kinds = (own.body.data as { items: DeliveryReply[] }).items.map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['delivery_failed', 'quota_exceed']);
  });
});

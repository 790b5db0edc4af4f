import { describe, expect, it } from '@jest/globals';
import { type Notice, rendered, webhookBody, writeNotice } from './notice-text.js';

const low: Notice = { type: 'quota_exceed', amount: '＄0.990000', link: 'https://x.example/topup' };

describe('notices', () => {
  it('fill in the values, also when a value looks like a placeholder', () => {
    expect(rendered(writeNotice(low, 'zh'))).toBe(
      '您的额度即将用尽，当前剩余额度为 ＄0.990000，为了不影响您的使用，请及时充值。充值链接：https://x.example/topup',
    );
    const named: Notice = { type: 'channel_disabled', channelId: 7, name: '{{value}}', reason: 'bad key' };
    expect(rendered(writeNotice(named, 'zh'))).toBe('通道「{{value}}」（#7）已被禁用，原因：bad key');
    expect(rendered(writeNotice({ ...named, reason: '' }, 'en'))).toBe('Channel “{{value}}” (#7) was disabled');
  });

  it('say of a test of all channels what is documented, and give a webhook the numbers as values', () => {
    const tested: Notice = { type: 'channel_test', tested: 3, failed: 1 };
    const written = writeNotice(tested, 'zh');
    expect(written).toEqual({ title: '通道测试完成', content: '所有通道测试已完成', values: ['3', '1'] });
    expect(rendered(written)).toBe('所有通道测试已完成');
  });

  it.each(['zh', 'en'] as const)('have as many values as placeholders in %s', (language) => {
    const all: Notice[] = [
      low,
      { type: 'top_up', amount: '1', money: '2' },
      { type: 'channel_disabled', channelId: 1, name: 'a', reason: 'b' },
      { type: 'channel_enabled', channelId: 1, name: 'a' },
      { type: 'delivery_failed', target: 'a', reason: 'b' },
    ];
    for (const notice of all) {
      const { content, values } = writeNotice(notice, language);
      expect([notice.type, content.match(/\{\{value\}\}/g)?.length]).toEqual([notice.type, values.length]);
    }
  });

  it('have the documented body for a webhook, with the title as a value, and a text without markup', () => {
    const body = JSON.parse(webhookBody(low, writeNotice(low, 'zh'), 1_739_950_503)) as object;
    expect(body).toEqual({
      type: 'quota_exceed',
      title: '您的额度即将用尽',
      content:
        "{{value}}，当前剩余额度为 {{value}}，为了不影响您的使用，请及时充值。<br/>充值链接：<a href='{{value}}'>{{value}}</a>",
      values: ['您的额度即将用尽', '＄0.990000', 'https://x.example/topup', 'https://x.example/topup'],
      text: '您的额度即将用尽，当前剩余额度为 ＄0.990000，为了不影响您的使用，请及时充值。充值链接：https://x.example/topup',
      timestamp: 1_739_950_503,
    });
  });

  it('have values in the same order in each language', () => {
    const [zh, en] = [writeNotice(low, 'zh'), writeNotice(low, 'en')];
    expect(en.values.slice(1)).toEqual(zh.values.slice(1));
    expect([zh.values[0], en.values[0]]).toEqual([zh.title, en.title]);
    expect(rendered(en)).toBe(
      'Your quota is running out: ＄0.990000 is left. Top up in time to go on: https://x.example/topup',
    );
  });

  it.each([
    [{ type: 'channel_disabled', channelId: 7, name: 'a', reason: '' }, 'channel_update_7_3'],
    [{ type: 'channel_enabled', channelId: 7, name: 'a' }, 'channel_update_7_1'],
    [{ type: 'channel_test', tested: 2, failed: 1 }, 'channel_test'],
  ] as [Notice, string][])('name a change of a channel with its state: %j', (notice, type) => {
    expect(JSON.parse(webhookBody(notice, writeNotice(notice, 'zh'), 1))).toMatchObject({ type });
  });
});

import { describe, expect, it } from '@jest/globals';
import {
  channelListQuerySchema,
  channelSearchQuerySchema,
  createChannelSchema,
  MAX_FOUND_CHANNELS,
  updateChannelSchema,
  updateTagSchema,
} from './channel.js';
import { whyChannelQuerySchema } from './channel-health.js';
import { logListQuerySchema } from './log.js';
import { oauthStateQuerySchema } from './oauth.js';
import { redemptionListQuerySchema } from './redemption.js';
import { setupSchema } from './setup.js';
import { drawingListQuerySchema, taskListQuerySchema } from './task.js';
import { createTokenSchema, tokenSearchQuerySchema, updateTokenStatusSchema } from './token.js';
import {
  createUserSchema,
  loginSchema,
  registerSchema,
  updateSelfSchema,
  updateUserSchema,
  updateUserSettingSchema,
  userListQuerySchema,
} from './user.js';

const firstMessage = (result: { error?: { issues: { message: string }[] } }) => result.error?.issues[0]?.message;

describe('request schemas of the console API', () => {
  it('refuse a login in the documented words', () => {
    expect(firstMessage(loginSchema.safeParse({}))).toBe('无效的参数');
    expect(firstMessage(loginSchema.safeParse({ username: '', password: 'x' }))).toBe('无效的参数');
    expect(firstMessage(loginSchema.safeParse({ username: '  ', password: 'x' }))).toBe('用户名或密码为空');
    expect(firstMessage(loginSchema.safeParse({ username: '  ', password: '' }))).toBe('无效的参数');
    expect(loginSchema.safeParse({ username: 'root', password: 'x' }).success).toBe(true);
  });

  it('ignore the characters of sk- at both ends of a searched key, however many there are', () => {
    const searched = (token: string) => tokenSearchQuerySchema.parse({ token }).token;
    expect(['sk-abc', '-sk-askb-s', 'sk-', ''].map(searched)).toEqual(['abc', 'askb', '', '']);
    const long = `x${'k'.repeat(400_000)}x`;
    expect(searched(long)).toBe(long);
  });

  it('treat empty text like an absent field where the reference console sends both', () => {
    expect(updateSelfSchema.parse({ username: '', display_name: 'Ann', password: '' })).toEqual({
      display_name: 'Ann',
    });
    expect(registerSchema.parse({ username: 'ann', password: '12345678', aff_code: '', email: '' })).toMatchObject({
      username: 'ann',
    });
    expect(firstMessage(registerSchema.safeParse({ username: 'ann', password: '1234567' }))).toBe(
      '密码长度不得小于 8 位！',
    );
  });

  it.each([
    [{ username: '', password: '' }, '用户名和密码不能为空！'],
    [{ username: 'x'.repeat(13) }, '用户名和密码不能为空！'],
    [{ username: 'a@b', password: '' }, '用户名和密码不能为空！'],
    [{ username: '  ', password: 'short' }, '用户名和密码不能为空！'],
    [{ username: 'x'.repeat(13), password: 'short' }, '输入不合法 用户名最多 12 个字符'],
    [{ username: 'ann', password: 'short' }, '密码长度不得小于 8 位！'],
  ])('report what a new user lacks before the rules for it: %j', (body, message) => {
    expect(firstMessage(createUserSchema.safeParse(body))).toBe(message);
  });

  it.each(['', '   ', null])('keep the group of a user whose form sends %j', (group) => {
    expect(updateUserSchema.parse({ id: 7, group }).group).toBeUndefined();
    expect(updateUserSchema.parse({ id: 7, group: ' vip ' }).group).toBe('vip');
  });

  it('ignore an invitation code that is too long or has a NUL, like any unknown one', () => {
    const form = { username: 'ann', password: '12345678' };
    for (const code of ['a'.repeat(33), 'a\0']) {
      expect(registerSchema.parse({ ...form, aff_code: code }).aff_code).toBeUndefined();
      expect(oauthStateQuerySchema.parse({ aff: code })).toEqual({ aff: '' });
    }
    expect(registerSchema.parse({ ...form, aff_code: 'a'.repeat(32) }).aff_code).toBe('a'.repeat(32));
    expect(firstMessage(registerSchema.safeParse({ ...form, aff_code: 5 }))).toBe('无效的参数');
  });

  it.each([
    ['tokens', tokenSearchQuerySchema, ['keyword', 'token']],
    ['codes', redemptionListQuerySchema, ['keyword']],
    ['rows of the log', logListQuerySchema, ['username', 'token_name', 'model_name', 'group', 'request_id']],
    ['drawings', drawingListQuerySchema, ['mj_id', 'status', 'action']],
    ['tasks', taskListQuerySchema, ['task_id', 'platform', 'status', 'action']],
    ['users', userListQuerySchema, ['keyword', 'group']],
    ['channels', channelListQuerySchema, ['keyword', 'group', 'model']],
  ])('take a text of any length for one that finds no %s', (_, schema, names) => {
    const long = 'x'.repeat(5000);
    for (const name of names) expect(schema.parse({ [name]: long })).toMatchObject({ [name]: long });
  });

  it('take up to five addresses for notices, separated by semicolons', () => {
    const messageFor = (notification_email: string) =>
      firstMessage(
        updateUserSettingSchema.safeParse({ notify_type: 'email', quota_warning_threshold: 5, notification_email }),
      );
    const five = ['a@b.example', ' c@d.example ', 'e@f.example', 'g@h.example', 'i@j.example'].join(';');
    for (const list of ['a@b.example', 'a@b.example;c@d.example', five]) expect(messageFor(list)).toBeUndefined();
    for (const list of [`${five};k@l.example`, 'a@b.example;', 'a@b.example;nobody', 'a@b.example,c@d.example', ';'])
      expect(messageFor(list)).toBe('无效的邮箱地址');
  });

  it('demand an https webhook only when webhooks are chosen', () => {
    const setting = { notify_type: 'webhook', quota_warning_threshold: 5 } as const;
    expect(firstMessage(updateUserSettingSchema.safeParse(setting))).toBe('Webhook地址不能为空');
    expect(firstMessage(updateUserSettingSchema.safeParse({ ...setting, webhook_url: 'http://a.example' }))).toBe(
      '无效的Webhook地址',
    );
    expect(updateUserSettingSchema.safeParse({ notify_type: 'email', quota_warning_threshold: '5' }).success).toBe(
      true,
    );
    expect(firstMessage(updateUserSettingSchema.safeParse({ notify_type: 'email', quota_warning_threshold: 0 }))).toBe(
      '预警阈值必须大于0',
    );
  });

  it('fill a token from its name alone and count the name in bytes', () => {
    expect(createTokenSchema.parse({ name: '我的API' })).toEqual({
      name: '我的API',
      expired_time: -1,
      remain_quota: 0,
      unlimited_quota: false,
      model_limits_enabled: false,
      model_limits: '',
      allow_ips: '',
      group: '',
    });
    expect(createTokenSchema.parse({ name: 'a', allow_ips: null }).allow_ips).toBe('');
    expect(createTokenSchema.safeParse({ name: '字'.repeat(10) }).success).toBe(true); // 30 bytes
    expect(firstMessage(createTokenSchema.safeParse({ name: '字'.repeat(11) }))).toBe('令牌名称过长');
    expect(updateTokenStatusSchema.safeParse({ id: 1, status: 3 }).success).toBe(false);
  });

  it('check a new channel in the order of its form', () => {
    expect(firstMessage(createChannelSchema.safeParse({ type: 1, models: '' }))).toBe('请填写渠道名称和渠道密钥！');
    expect(firstMessage(createChannelSchema.safeParse({ name: 'a', type: 1, models: '' }))).toBe(
      '请填写渠道名称和渠道密钥！',
    );
    expect(firstMessage(createChannelSchema.safeParse({ name: 'a', key: 'k', type: 1, models: ' , ' }))).toBe(
      '请至少选择一个模型！',
    );
    const channel = { name: 'a', key: 'k', type: 1, models: 'm' };
    expect(createChannelSchema.parse({ ...channel, key: ' ', copy_from: 3 }).key).toBeNull();
    expect(firstMessage(createChannelSchema.safeParse({ ...channel, model_mapping: '[1]' }))).toBe(
      '模型映射必须是合法的 JSON 格式！',
    );
    expect(createChannelSchema.parse({ ...channel, weight: -4, model_mapping: '' })).toMatchObject({
      group: 'default',
      weight: 0,
    });
    expect(updateChannelSchema.parse({ id: 7, status: 2 })).toEqual({ id: 7, status: 2 });
  });

  it('refuse the edit of a tag whose form is unchanged', () => {
    const opened = { tag: 'east', new_tag: 'east', models: '', groups: ' , ' };
    expect(firstMessage(updateTagSchema.safeParse(opened))).toBe('没有任何修改！');
    for (const change of [{ new_tag: 'west' }, { new_tag: '' }, { models: 'm' }, { model_mapping: '' }, { weight: 0 }])
      expect(updateTagSchema.safeParse({ ...opened, ...change }).success).toBe(true);
  });

  it.each([
    ['a drawing', drawingListQuerySchema, ['mj_id', 'status', 'action']],
    ['a task', taskListQuerySchema, ['task_id', 'platform', 'status', 'action']],
    ['an explanation', whyChannelQuerySchema, ['group', 'model']],
  ])('let no NUL into the search for %s', (_, schema, names) => {
    const plain = { group: 'default', model: 'm' };
    expect(schema.safeParse(plain).success).toBe(true);
    for (const name of names) expect(firstMessage(schema.safeParse({ ...plain, [name]: 'a\0b' }))).toBe('无效的参数');
  });

  it.each(['2.5', '2abc', '1e1', '0x2', 'abc', '', ' ', '-1', '0', '99999999999999999999'])(
    'read %j as no page and no size',
    (text) => {
      expect(userListQuerySchema.parse({ p: text, page_size: text })).toMatchObject({ page: 1, size: 10 });
      expect(channelListQuerySchema.parse({ p: text, page_size: text })).toMatchObject({ page: 1, size: 10 });
    },
  );

  it('read pages as each list counts them and ignore invalid values', () => {
    expect(userListQuerySchema.parse({ p: '2', page_size: '500', keyword: 'a' })).toEqual({
      page: 2,
      size: 100,
      keyword: 'a',
      group: '',
    });
    expect(tokenSearchQuerySchema.parse({ p: '0', size: '20' })).toEqual({
      page: { page: 1, size: 20 },
      keyword: '',
      token: '',
    });
    expect(channelSearchQuerySchema.parse({ keyword: 'a', page_size: '' })).toMatchObject({
      keyword: 'a',
      page: 1,
      size: MAX_FOUND_CHANNELS,
    });
    for (const sent of [{ p: '0' }, { p: 'x' }, { size: '0' }])
      expect(channelSearchQuerySchema.parse(sent)).toMatchObject({ page: 1, size: 10 });
    expect(channelSearchQuerySchema.parse({ p: '2', size: '20' })).toMatchObject({ page: 3, size: 20 });
    expect(channelListQuerySchema.parse({ id_sort: 'true', status: '3' })).toMatchObject({
      page: 1,
      size: 10,
      id_sort: true,
      tag_mode: false,
      status: 3,
    });
    expect(channelListQuerySchema.parse({ status: '' }).status).toBeUndefined();
    for (const [text, isOn] of [
      ['1', true],
      ['True', true],
      ['t', true],
      ['0', false],
      ['', false],
      ['yes', false],
    ] as const)
      expect(channelListQuerySchema.parse({ id_sort: text, tag_mode: text })).toMatchObject({
        id_sort: isOn,
        tag_mode: isOn,
      });
    expect(logListQuerySchema.parse({ type: 'x', channel: '4' })).toMatchObject({
      type: 0,
      channel: 4,
      page: 1,
      size: 10,
    });
  });

  it('leave the rules of the wizard to the server', () => {
    expect(setupSchema.parse({ SelfUseModeEnabled: true })).toMatchObject({
      username: '',
      SelfUseModeEnabled: true,
      DemoSiteEnabled: false,
    });
  });
});

import { ChannelStatus } from '@tollgate/contracts';
import type { Language } from '../mail/language.js';

/** What happened, with the values for its text. */
export type Notice =
  | { type: 'quota_exceed'; amount: string; link: string }
  | { type: 'top_up'; amount: string; money: string }
  | { type: 'channel_disabled'; channelId: number; name: string; reason: string }
  | { type: 'channel_enabled'; channelId: number; name: string }
  | { type: 'channel_test'; tested: number; failed: number }
  | { type: 'delivery_failed'; target: string; reason: string };

/**
 * `content` contains one `{{value}}` for each of `values`, in their order; or none, where the documented sentence has no
 * values and these only add to it.
 */
interface NoticeText {
  title: string;
  content: string;
  values: string[];
  /** The notice without markup, where `content` has some; without the link at its end. */
  text?: string;
  link?: string;
}

type Writers = { [Type in Notice['type']]: (notice: Extract<Notice, { type: Type }>) => NoticeText };

/** The documented content has markup and the title as its first value; receivers rely on the values' order. */
const lowBalance = (title: string, { amount, link }: { amount: string; link: string }) => ({
  title,
  values: [title, amount, link, link],
  link,
});

const zh: Writers = {
  quota_exceed: (notice) => ({
    ...lowBalance('您的额度即将用尽', notice),
    content:
      "{{value}}，当前剩余额度为 {{value}}，为了不影响您的使用，请及时充值。<br/>充值链接：<a href='{{value}}'>{{value}}</a>",
    text: `您的额度即将用尽，当前剩余额度为 ${notice.amount}，为了不影响您的使用，请及时充值。充值链接：`,
  }),
  top_up: ({ amount, money }) => ({
    title: '充值成功',
    content: '充值成功，到账额度 {{value}}，支付金额 {{value}}。',
    values: [amount, money],
  }),
  channel_disabled: ({ channelId, name, reason }) => ({
    title: `通道「${name}」（#${channelId}）已被禁用`,
    content: `通道「{{value}}」（#{{value}}）已被禁用${reason === '' ? '' : '，原因：{{value}}'}`,
    values: [name, String(channelId), ...(reason === '' ? [] : [reason])],
  }),
  channel_enabled: ({ channelId, name }) => ({
    title: `通道「${name}」（#${channelId}）已被启用`,
    content: '通道「{{value}}」（#{{value}}）已被启用',
    values: [name, String(channelId)],
  }),
  channel_test: ({ tested, failed }) => ({
    title: '通道测试完成',
    content: '所有通道测试已完成',
    values: [String(tested), String(failed)],
  }),
  delivery_failed: ({ target, reason }) => ({
    title: '通知发送失败',
    content: '发往 {{value}} 的通知没有送达：{{value}}。请检查个人设置中的 Webhook 地址。',
    values: [target, reason],
  }),
};

const en: Writers = {
  quota_exceed: (notice) => ({
    ...lowBalance('Your quota is running out', notice),
    content: "{{value}}: {{value}} is left.<br/>Top up in time to go on: <a href='{{value}}'>{{value}}</a>",
    text: `Your quota is running out: ${notice.amount} is left. Top up in time to go on: `,
  }),
  top_up: ({ amount, money }) => ({
    title: 'Top-up received',
    content: 'Your top-up of {{value}} is in your balance; {{value}} was paid.',
    values: [amount, money],
  }),
  channel_disabled: ({ channelId, name, reason }) => ({
    title: `Channel “${name}” (#${channelId}) was disabled`,
    content: `Channel “{{value}}” (#{{value}}) was disabled${reason === '' ? '' : ': {{value}}'}`,
    values: [name, String(channelId), ...(reason === '' ? [] : [reason])],
  }),
  channel_enabled: ({ channelId, name }) => ({
    title: `Channel “${name}” (#${channelId}) was enabled`,
    content: 'Channel “{{value}}” (#{{value}}) was enabled',
    values: [name, String(channelId)],
  }),
  channel_test: ({ tested, failed }) => ({
    title: 'Channel test finished',
    content: 'All channels were tested',
    values: [String(tested), String(failed)],
  }),
  delivery_failed: ({ target, reason }) => ({
    title: 'A notice was not delivered',
    content: 'A notice to {{value}} was not delivered: {{value}}. Check the webhook address in your settings.',
    values: [target, reason],
  }),
};

/** The title and text of a notice; `rendered` inserts the values. */
export function writeNotice(notice: Notice, language: Language): NoticeText {
  const write = (language === 'en' ? en : zh)[notice.type] as (notice: Notice) => NoticeText;
  return write(notice);
}

/** The plain text without a link at its end, with the values inserted. A `{{value}}` inside a value is left as it is. */
export function renderedToLink({ content, values, text }: NoticeText): string {
  if (text !== undefined) return text;
  let next = 0;
  return content.replace(/\{\{value\}\}/g, (place) => values[next++] ?? place);
}

export const rendered = (written: NoticeText): string => `${renderedToLink(written)}${written.link ?? ''}`;

/**
 * The kind by which notices are limited and by which webhook receivers tell them apart. For channels it contains the
 * channel's id and new state.
 */
export function kindOf(notice: Notice): string {
  if (notice.type === 'channel_disabled') return `channel_update_${notice.channelId}_${ChannelStatus.autoDisabled}`;
  if (notice.type === 'channel_enabled') return `channel_update_${notice.channelId}_${ChannelStatus.enabled}`;
  return notice.type;
}

/** The documented body; `text` is the plain text with the values inserted, for receivers that do not insert them. */
export function webhookBody(notice: Notice, written: NoticeText, timestamp: number): string {
  const { title, content, values } = written;
  return JSON.stringify({ type: kindOf(notice), title, content, values, text: rendered(written), timestamp });
}

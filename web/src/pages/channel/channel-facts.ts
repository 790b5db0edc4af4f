import type { Channel, ChannelOtherInfo } from '@tollgate/contracts/api/channel';
import { ChannelStatus } from '@tollgate/contracts/roles';
import type { TagColor } from '../../app/palette.js';
import type { StatusKey } from '../../components/texts/status-chip.js';

export const splitNames = (text: string | null | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The default group first, the rest by name. */
export const sortGroups = (groups: string[]): string[] =>
  [...new Set(groups)].sort(
    (one, other) => Number(other === 'default') - Number(one === 'default') || one.localeCompare(other),
  );

export function otherInfoOf({ other_info: text }: Channel): ChannelOtherInfo {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null ? (value as ChannelOtherInfo) : {};
  } catch {
    return {};
  }
}

const statusKeys: Record<number, StatusKey> = {
  [ChannelStatus.enabled]: 'enabled',
  [ChannelStatus.disabled]: 'disabled',
  [ChannelStatus.autoDisabled]: 'autoDisabled',
};
/** The state of a channel, or of one of its keys. */
export const statusKeyOf = (status: number): StatusKey => statusKeys[status] ?? 'unknown';
/**
 * `suspect`: enabled, but with a reason to disable it. The automatic disabling spared it, because too many channels
 * were being disabled at once.
 */
export const statusOf = (channel: Channel): StatusKey =>
  channel.status === ChannelStatus.enabled && otherInfoOf(channel).status_reason
    ? 'suspect'
    : statusKeyOf(channel.status);

/** The colour for a response time in milliseconds, as specified; 0: untested. */
export function responseColor(ms: number): TagColor {
  if (ms === 0) return 'grey';
  if (ms <= 1000) return 'green';
  if (ms <= 3000) return 'lime';
  return ms <= 5000 ? 'yellow' : 'red';
}

/** Whether the last test failed; its response time then measures the failure. */
export const hasFailedTest = ({ test_ok: ok }: Pick<Channel, 'test_ok'>): boolean => ok === false;

/** A balance with two decimals. From 100,000 on only the first and the last two digits of the whole part are shown. */
export function formatBalance(balance: number): string {
  const text = balance.toFixed(2);
  const [whole = '0', cents = '00'] = text.replace('-', '').split('.');
  const sign = text.startsWith('-') ? '\u2212' : '';
  if (whole.length < 6) return `${sign}$${whole}.${cents}`;
  return `${sign}$${whole.slice(0, 2)}..${whole.slice(-2)}.${cents}`;
}

export interface TagRow {
  tag: string;
  channels: Channel[];
  enabled: number;
  groups: string[];
  usedQuota: number;
  /** Mean over the channels whose last test succeeded, in milliseconds; 0: there is none. */
  responseTime: number;
  /** Some channel was tested, and the last test of each that was tested failed. */
  testFailed: boolean;
  /** `undefined` when the channels have different values. */
  priority: number | undefined;
  weight: number | undefined;
}

const shared = (values: number[]): number | undefined => (new Set(values).size === 1 ? values[0] : undefined);

function tagRow(tag: string, channels: Channel[]): TagRow {
  const tested = channels.filter((channel) => channel.response_time > 0 && !hasFailedTest(channel));
  const total = tested.reduce((sum, { response_time: ms }) => sum + ms, 0);
  return {
    tag,
    channels,
    enabled: channels.filter(({ status }) => status === ChannelStatus.enabled).length,
    groups: sortGroups(channels.flatMap(({ group }) => splitNames(group))),
    usedQuota: channels.reduce((sum, { used_quota: used }) => sum + used, 0),
    responseTime: tested.length > 0 ? total / tested.length : 0,
    testFailed: tested.length === 0 && channels.some(hasFailedTest),
    priority: shared(channels.map(({ priority }) => priority ?? 0)),
    weight: shared(channels.map(({ weight }) => weight ?? 0)),
  };
}

/** Groups the flat list of channels of the tag view into one row per tag, in the order of the reply. */
export function toTagRows(channels: Channel[]): TagRow[] {
  const byTag = new Map<string, Channel[]>();
  for (const channel of channels) {
    const tag = channel.tag ?? '';
    byTag.set(tag, [...(byTag.get(tag) ?? []), channel]);
  }
  return [...byTag].map(([tag, own]) => tagRow(tag, own));
}

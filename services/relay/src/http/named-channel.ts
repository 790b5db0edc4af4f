import { Refusal } from '../call/refusal.js';

/** The id of the channel that an administrator's key names; throws a refusal unless it is a number. */
export function channelIdOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Refusal(400, '无效的渠道 Id', 'invalid_channel_id');
  return Number(text);
}

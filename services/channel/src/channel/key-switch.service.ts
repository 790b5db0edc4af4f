import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus } from '@tollgate/contracts';
import type { ChannelKeyRow, switchKeySchema } from '@tollgate/contracts/api/channel';
import { AppError, type Caller, Clock } from '@tollgate/chassis';
import type { z } from 'zod';
import { ChannelChanges } from './channel-changes.js';
import { type ChannelKey, ChannelKeys } from './channel-keys.js';
import { ChannelQueries } from './channel.queries.js';
import { FRESH, lockChannel } from './channel-store.js';

/** The number of last characters shown so that the owner recognises a key; fewer for a short key. */
const HINT = 4;

function hintOf(key: string): string {
  const shown = Math.min(HINT, Math.floor(key.length / HINT));
  return `***${shown > 0 ? key.slice(-shown) : ''}`;
}

const toRow = ({ id, key, away }: ChannelKey): ChannelKeyRow => ({
  id,
  hint: hintOf(key),
  status: away?.status ?? ChannelStatus.enabled,
  reason: away?.reason ?? '',
  time: away?.at ?? 0,
});

/** Lists the keys of a channel with several, and switches them on and off. */
@Injectable()
export class KeySwitchService {
  constructor(
    private readonly em: EntityManager,
    private readonly queries: ChannelQueries,
    private readonly keys: ChannelKeys,
    private readonly changes: ChannelChanges,
    private readonly clock: Clock,
  ) {}

  /** Empty for a channel with a single key. */
  async list(channelId: number): Promise<ChannelKeyRow[]> {
    const channel = await this.queries.get(channelId);
    return channel.keyMode === '' ? [] : this.keys.all(channel).map(toRow);
  }

  /**
   * Switching on the first key of a channel that was disabled with its last key enables the channel again. The last key
   * in use cannot be switched off.
   */
  async switch(
    channelId: number,
    { key_id: keyId, status }: z.output<typeof switchKeySchema>,
    actor: Caller,
  ): Promise<ChannelKeyRow[]> {
    return this.em.transactional(async (em) => {
      const channel = await lockChannel(em, channelId);
      const all = channel.keyMode === '' ? [] : this.keys.all(channel);
      const key = this.keys.named(all, keyId);
      if (!key) throw new AppError('not-found', 'channel-key-not-found', '密钥不存在');
      const { id } = key;
      const { [id]: before, ...others } = channel.keyStates;
      const isOn = status === ChannelStatus.enabled;
      if (!isOn && !all.some((one) => one.id !== id && !one.away))
        throw new AppError('invalid', 'channel-last-key', '至少保留一个启用的密钥，或停用整个渠道');
      const wasAllAway = all.every(({ away }) => away);
      channel.keyStates = isOn
        ? others
        : { ...others, [id]: { status: ChannelStatus.disabled, reason: '', at: Math.floor(this.clock.now() / 1000) } };
      const actorId = actor.userId;
      const moved =
        isOn && wasAllAway && channel.status === ChannelStatus.autoDisabled
          ? this.changes.move(em, channel, { to: status, cause: 'manual', reason: '', keepsKeys: true, actorId })
          : undefined;
      const audit = {
        ...{ actorId, action: 'channel-key-switched' as const, subject: `channel:${channelId}` },
        ...{ before: { key: id, status: before?.status ?? ChannelStatus.enabled }, after: { key: id, status } },
      };
      await this.changes.publish(em, { channelIds: [channelId], moved: moved ? [moved] : [], audit });
      return this.keys.all(channel).map(toRow);
    }, FRESH);
  }
}

import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus } from '@tollgate/contracts';
import { Clock, Logger, OptionStore } from '@tollgate/chassis';
import { evidenceOf, type TestOutcome } from '../channel-test/test-verdict.js';
import { ChannelChanges, type Move } from '../channel/channel-changes.js';
import { type ChannelKey, ChannelKeys, LONGEST_PAUSE, nextLook } from '../channel/channel-keys.js';
import { FRESH, lockChannels } from '../channel/channel-store.js';
import type { Channel, SetAside } from '../channel/channel.entity.js';

/** How long a claimed key is reserved for the probe of one process. */
const CLAIM_SECONDS = 60;
/**
 * A key that cannot be decrypted is tried again after this time: the secret key it was encrypted with may be configured
 * by then.
 */
const UNREADABLE_SECONDS = 600;

/** A probe further away than the longest pause was scheduled by a clock that was ahead, and is due. */
const isLater = ({ probeAt = 0 }: SetAside, now: number): boolean => probeAt > now && probeAt <= now + LONGEST_PAUSE;

/** A key that was set aside automatically, of a channel that could use it. */
export interface AwayKey {
  channelId: number;
  keyId: string;
}

/**
 * Returns keys to use that were set aside automatically, once a probe with them succeeds. Keys that a person switched
 * off are not touched. A channel that was disabled with its last key is enabled with the first key that works, if
 * channels may be enabled automatically.
 */
@Injectable()
export class KeyReturns {
  constructor(
    private readonly em: EntityManager,
    private readonly keys: ChannelKeys,
    private readonly changes: ChannelChanges,
    private readonly options: OptionStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Whether `claim` would find any, as an SQL expression. */
  due(): string {
    return `exists (select ${this.fromDue(this.clock.seconds())})`;
  }

  private fromDue(now: number): string {
    return `from "channel" c, jsonb_each(c."key_states") s
       where c."key_mode" <> '' and c."key_states" <> '{}' and c."status" in (${this.statuses().join()})
         and s."value"->>'status' = '3'
         and coalesce((s."value"->>'probeAt')::bigint, 0) not between ${now + 1} and ${now + LONGEST_PAUSE}`;
  }

  /** Claims due keys, each for one process. */
  async claim(limit: number): Promise<AwayKey[]> {
    const now = this.clock.seconds();
    const rows = await this.em.execute<{ id: number; key_id: string }[]>(
      `select c."id", s."key" "key_id" ${this.fromDue(now)} order by coalesce((s."value"->>'probeAt')::bigint, 0) limit ?`,
      [limit],
    );
    const claimed: AwayKey[] = [];
    for (const { id: channelId, key_id: keyId } of rows) {
      const place = { channelId, keyId };
      if (await this.take(place, now)) claimed.push(place);
    }
    return claimed;
  }

  private async take(place: AwayKey, now: number): Promise<boolean> {
    try {
      return await this.change(place, async (_, channel, { id, away }) => {
        if (!away || isLater(away, now)) return false;
        channel.keyStates = { ...channel.keyStates, [id]: { ...away, probeAt: now + CLAIM_SECONDS } };
        return true;
      });
    } catch (error) {
      this.logger.warn('a key that was set aside cannot be looked at', { channelId: place.channelId, error });
      await this.postpone(place, now + UNREADABLE_SECONDS);
      return false;
    }
  }

  /**
   * Moves the next probe of a key that cannot be decrypted, without reading the key, so that it does not hold up the
   * others.
   */
  private async postpone({ channelId, keyId }: AwayKey, until: number): Promise<void> {
    await this.em.execute(
      `update "channel" set "key_states" = jsonb_set("key_states", array[?, 'probeAt']::text[], to_jsonb(?::bigint))
       where "id" = ? and jsonb_exists("key_states", ?)`,
      [keyId, until, channelId, keyId],
    );
  }

  /** Applies the result of a probe: returns the key to use, or schedules the next probe. */
  async conclude(place: AwayKey, outcome: TestOutcome): Promise<boolean> {
    return this.change(place, async (em, channel, key) => {
      const { [key.id]: away, ...others } = channel.keyStates;
      if (!outcome.success) {
        if (away)
          channel.keyStates = {
            ...others,
            [key.id]: { ...away, ...nextLook((away.probes ?? 0) + 1, this.clock.now()) },
          };
        return false;
      }
      const isFirst = this.keys.all(channel).every((one) => one.away);
      channel.keyStates = others;
      const probe = { ...evidenceOf(outcome), keyId: key.id };
      this.changes.note(em, channel, 'key-back', { cause: 'test', reason: '', evidence: probe });
      const on: Move = { to: ChannelStatus.enabled, cause: 'test', reason: '', keepsKeys: true, evidence: probe };
      const isDue = isFirst && channel.status === ChannelStatus.autoDisabled;
      const moved = isDue ? this.changes.move(em, channel, on) : undefined;
      await this.changes.publish(em, { channelIds: [channel.id], moved: moved ? [moved] : [] });
      return true;
    });
  }

  /** Runs `work` with the channel locked, if the key is still set aside automatically and the channel could use it. */
  private change(
    { channelId, keyId }: AwayKey,
    work: (em: EntityManager, channel: Channel, key: ChannelKey) => Promise<boolean>,
  ): Promise<boolean> {
    return this.em.transactional(async (em) => {
      const [channel] = await lockChannels(em, { id: channelId });
      if (!channel || channel.keyMode === '' || !this.statuses().includes(channel.status)) return false;
      const key = this.keys.named(this.keys.all(channel), keyId);
      return key?.away?.status === ChannelStatus.autoDisabled ? work(em, channel, key) : false;
    }, FRESH);
  }

  private statuses(): number[] {
    const mayGoOn = this.options.get('AutomaticEnableChannelEnabled');
    return mayGoOn ? [ChannelStatus.enabled, ChannelStatus.autoDisabled] : [ChannelStatus.enabled];
  }
}

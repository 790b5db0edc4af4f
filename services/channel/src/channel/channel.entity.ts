import { defineEntity, p } from '@mikro-orm/core';
import { ChannelStatus, type KeyMode } from '@tollgate/contracts';
import { textArray } from '@tollgate/database';

/** The state of a key, of a channel with several, that gets no requests. */
export interface SetAside {
  /** Switched off by a person, or set aside automatically. */
  status: typeof ChannelStatus.disabled | typeof ChannelStatus.autoDisabled;
  /** With secrets masked. */
  reason: string;
  /** In seconds since the epoch. */
  at: number;
  /** For a key that was set aside automatically: when it is probed next, and how many probes have failed. */
  probeAt?: number;
  probes?: number;
}

const channel = defineEntity({
  name: 'Channel',
  tableName: 'channel',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    type: p.integer(),
    /** Encrypted by `ChannelKeys`; decrypted only for upstream calls and the routing snapshot. */
    sealedKey: p.text(),
    /** Keyed hashes of the whole text and of each of its lines, for searches. */
    keyHashes: p.array(),
    /** How one of several keys is chosen. Empty if the channel has a single key, even if that has several lines. */
    keyMode: p.text().$type<KeyMode>().default(''),
    /** States of the keys that are not in use, by key id. */
    keyStates: p.json<Readonly<Record<string, SetAside>>>(),
    status: p.integer().default(ChannelStatus.enabled),
    organization: p.text().default(''),
    /** Empty: the default address of the type. */
    baseUrl: p.text().default(''),
    other: p.text().default(''),
    models: textArray(),
    groups: textArray(),
    /** The four JSON texts are stored exactly as they were entered. */
    modelMapping: p.text().default(''),
    statusCodeMapping: p.text().default(''),
    paramOverride: p.text().default(''),
    setting: p.text().default(''),
    autoBan: p.boolean().default(true),
    testModel: p.text().default(''),
    maxInputTokens: p.integer().default(0),
    priority: p.integer().default(0),
    weight: p.integer().default(0),
    /** Empty: no tag. */
    tag: p.text().default(''),
    /** Why the channel is disabled; for an enabled channel why it should be, see `keepOn`. */
    statusReason: p.text().default(''),
    statusChangedAt: p.datetime().nullable(),
    /** For a channel that was switched off automatically: when it is probed next. Null: only a test enables it. */
    probeAt: p.datetime().nullable(),
    /** How many of these probes have begun. */
    probes: p.integer().default(0),
    /**
     * Evidence from before this time is ignored: since then the channel was created, got a new key or address, or was
     * enabled.
     */
    evidenceSince: p.datetime(),
    responseTimeMs: p.integer().default(0),
    testedAt: p.datetime().nullable(),
    /** Whether the last test succeeded; null if there was none since this is recorded. */
    testOk: p.boolean().nullable(),
    /** In the upstream's currency; for display only. */
    balance: p.float().columnType('double precision').default(0),
    balanceUpdatedAt: p.datetime().nullable(),
    usedQuota: p.bigint('number'),
    createdAt: p.datetime(),
  },
});

export class Channel extends channel.class {
  /**
   * Returns whether evidence from this time counts. Evidence from before `evidenceSince` is about another key or
   * address. If `evidenceSince` is ahead of the clock, it was written by a clock that was wrong, and is set to now, so
   * that the evidence that follows counts.
   */
  admitEvidence(at: Date, now: Date): boolean {
    if (this.evidenceSince > now) this.evidenceSince = now;
    return at.getTime() >= this.evidenceSince.getTime();
  }

  /** Called when the key or the address changes, or when the channel is enabled. */
  forgetEvidence(at: Date): void {
    this.evidenceSince = at;
    if (this.status === ChannelStatus.enabled) this.statusReason = '';
    // What made earlier probes fail may be mended now.
    if (this.probeAt) this.probeSoon(at);
  }

  /** Begins to probe a channel that was switched off, from the shortest pause. */
  probeSoon(at: Date): void {
    this.probeAt = at;
    this.probes = 0;
  }

  /** Records why the channel should be disabled although the brake keeps it enabled, for people to see. */
  keepOn(at: Date, reason: string): void {
    this.statusReason = reason;
    this.statusChangedAt = at;
  }

  moveTo(status: number, at: Date, reason: string): void {
    this.status = status;
    this.statusChangedAt = at;
    this.statusReason = status === ChannelStatus.enabled ? '' : reason;
    this.probeAt = null;
    this.probes = 0;
  }
}
channel.setClass(Channel);

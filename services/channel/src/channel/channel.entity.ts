import { defineEntity, p } from '@mikro-orm/core';
import { ChannelStatus, type KeyMode } from '@tollgate/contracts';

/** A key of several that gets no requests. */
export interface SetAside {
  /** By a person, or by itself. */
  status: typeof ChannelStatus.disabled | typeof ChannelStatus.autoDisabled;
  /** Masked. */
  reason: string;
  /** Seconds since the epoch. */
  at: number;
  /** Of one that went by itself: when it is asked again, and how often it was in vain. */
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
    /** Sealed by `ChannelKeys`; only an upstream call and the routing snapshot open it. */
    sealedKey: p.text(),
    /** Keyed hashes of the whole key and of each of its lines, for searches. */
    keyHashes: p.array(),
    /** How one of several keys is chosen; empty: the channel has one key, whatever lines it has. */
    keyMode: p.text().$type<KeyMode>().default(''),
    /** Keys that are set aside, by their id. */
    keyStates: p.json<Readonly<Record<string, SetAside>>>(),
    status: p.integer().default(ChannelStatus.enabled),
    organization: p.text().default(''),
    /** Empty: the type's default address. */
    baseUrl: p.text().default(''),
    other: p.text().default(''),
    models: p.array(),
    groups: p.array(),
    /** The four JSON texts keep the spelling they were saved with. */
    modelMapping: p.text().default(''),
    statusCodeMapping: p.text().default(''),
    paramOverride: p.text().default(''),
    setting: p.text().default(''),
    autoBan: p.boolean().default(true),
    testModel: p.text().default(''),
    maxInputTokens: p.integer().default(0),
    priority: p.integer().default(0),
    weight: p.integer().default(0),
    /** Empty: none. */
    tag: p.text().default(''),
    /** Why it is off; of an enabled channel why it should be, see `keepOn`. */
    statusReason: p.text().default(''),
    statusChangedAt: p.datetime().nullable(),
    /** What happened before says nothing about the key and the address of today: the channel was made, mended or switched on then. */
    evidenceSince: p.datetime(),
    responseTimeMs: p.integer().default(0),
    testedAt: p.datetime().nullable(),
    /** In the upstream's currency, for people to look at. */
    balance: p.float().columnType('double precision').default(0),
    balanceUpdatedAt: p.datetime().nullable(),
    usedQuota: p.bigint('number'),
    createdAt: p.datetime(),
  },
});

export class Channel extends channel.class {
  /** Evidence from before the last mending is about another key or address. */
  acceptsEvidenceFrom(at: Date): boolean {
    return at.getTime() >= this.evidenceSince.getTime();
  }

  /** The key or the address changed, or a person switched the channel on: it starts with a clean record. */
  forgetEvidence(at: Date): void {
    this.evidenceSince = at;
    if (this.status === ChannelStatus.enabled) this.statusReason = '';
  }

  /** It should be off, but the brake keeps it on: people see why. */
  keepOn(at: Date, reason: string): void {
    this.statusReason = reason;
    this.statusChangedAt = at;
  }

  moveTo(status: number, at: Date, reason: string): void {
    this.status = status;
    this.statusChangedAt = at;
    this.statusReason = status === ChannelStatus.enabled ? '' : reason;
  }
}
channel.setClass(Channel);

import { defineEntity, p } from '@mikro-orm/core';

const lease = defineEntity({
  name: 'Lease',
  tableName: 'lease',
  properties: {
    kind: p.text().$type<'wallet' | 'token'>().primary(),
    accountId: p.integer().primary().autoincrement(false),
    replicaEpoch: p.text().primary(),
    granted: p.bigint('number').default(0),
    returned: p.bigint('number').default(0),
    booked: p.bigint('number').default(0),
    /** What the replica says it has spent: booked already, or on the way there. */
    used: p.bigint('number').default(0),
  },
});

/** Quota lent to one run of a relay replica, in counters that only grow. Touched only under the lock of its fund's row. */
export class Lease extends lease.class {}
lease.setClass(Lease);

const leaseWait = defineEntity({
  name: 'LeaseWait',
  tableName: 'lease_wait',
  properties: {
    kind: p.text().$type<'wallet' | 'token'>().primary(),
    accountId: p.integer().primary().autoincrement(false),
    /** Who waits; empty: the fund itself, after its credit was lowered below what is lent. */
    replicaEpoch: p.text().primary(),
    wantedAt: p.datetime(),
  },
});

/** A recent refusal because of other replicas' blocks; loses nothing when it is lost. */
export class LeaseWait extends leaseWait.class {}
leaseWait.setClass(LeaseWait);

export interface LogEnds {
  log: string;
  ends: Record<string, string>;
}

const relayEpoch = defineEntity({
  name: 'RelayEpoch',
  tableName: 'replica',
  properties: {
    epoch: p.text().primary(),
    syncedAt: p.datetime(),
    expiredAt: p.datetime().nullable(),
    /** Ends of the consumption topic by partition, read once the replica could not spend any more, and in which log. */
    logEnds: p.json<LogEnds>().nullable(),
    /** Its spool has been adopted and is in the log. */
    recoveredAt: p.datetime().nullable(),
    releasedAt: p.datetime().nullable(),
  },
});

/** One run of one relay replica; the table is named after the replica, whose every run is a row of it. */
export class RelayEpoch extends relayEpoch.class {}
relayEpoch.setClass(RelayEpoch);

const reaperRun = defineEntity({
  name: 'ReaperRun',
  tableName: 'reaper_run',
  properties: { id: p.integer().primary().autoincrement(false), ranAt: p.datetime() },
});

/** When expiry was last looked at; a gap is billing's own downtime. */
export class ReaperRun extends reaperRun.class {}
reaperRun.setClass(ReaperRun);

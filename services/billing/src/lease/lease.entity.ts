import { defineEntity, p } from '@mikro-orm/core';
import type { FundKind } from '@tollgate/contracts';

const lease = defineEntity({
  name: 'Lease',
  tableName: 'lease',
  properties: {
    kind: p.text().$type<FundKind>().primary(),
    accountId: p.integer().primary().autoincrement(false),
    replicaEpoch: p.text().primary(),
    granted: p.bigint('number').default(0),
    returned: p.bigint('number').default(0),
    booked: p.bigint('number').default(0),
    /** What the replica reported as spent; it may be booked already. */
    used: p.bigint('number').default(0),
  },
});

/**
 * Quota lent to one run of a relay replica, in counters that only grow. Read and written only under the lock of the
 * fund's row.
 */
export class Lease extends lease.class {}
lease.setClass(Lease);

const leaseWait = defineEntity({
  name: 'LeaseWait',
  tableName: 'lease_wait',
  properties: {
    kind: p.text().$type<FundKind>().primary(),
    accountId: p.integer().primary().autoincrement(false),
    /** The run that waits. Empty: the fund itself, after its credit fell below what is lent. */
    replicaEpoch: p.text().primary(),
    wantedAt: p.datetime(),
  },
});

/** A recent refusal because the quota is in other replicas' blocks. Losing such a row does no harm. */
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
    /** Number of its heartbeats, by which a replica notices that the database has lost the last ones. */
    beats: p.integer().default(0),
    expiredAt: p.datetime().nullable(),
    /**
     * The ends of the consumption topic by partition, read after the replica could no longer spend, or after all its
     * records were sent if that was later, and the identity of that event log.
     */
    logEnds: p.json<LogEnds>().nullable(),
    /** When all records of the run were known to be in the event log, sent by its own process or by another one. */
    recoveredAt: p.datetime().nullable(),
    releasedAt: p.datetime().nullable(),
  },
});

/** One run of a relay replica. The table is named after the replica; each run has a row. */
export class RelayEpoch extends relayEpoch.class {}
relayEpoch.setClass(RelayEpoch);

const reaperRun = defineEntity({
  name: 'ReaperRun',
  tableName: 'reaper_run',
  properties: { id: p.integer().primary().autoincrement(false), ranAt: p.datetime() },
});

/** When the reaper last ran; a gap means that billing itself was down. */
export class ReaperRun extends reaperRun.class {}
reaperRun.setClass(ReaperRun);

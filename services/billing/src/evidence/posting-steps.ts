import type { ProofStep } from '@tollgate/contracts/api/proof';
import { timeOfId } from '@tollgate/chassis';
import { units } from '../units.js';
import type { Evidence } from './evidence.queries.js';
import { step } from './steps.js';

const millis = (time: Date | string | null): number => (time === null ? 0 : new Date(time).getTime());

/** The row of the journal and its position in the sealed chain. */
export function postingSteps(row: Evidence, all: boolean): ProofStep[] {
  const posting = step(
    { link: 'posting', state: 'done', time: millis(row.booked_at) },
    {
      id: row.id,
      code: row.code,
      debit: row.debit,
      credit: row.credit,
      amount: units(row.amount),
      reference: row.reference === row.id ? undefined : row.reference,
      reason: all ? row.reason : undefined,
      actor_id: all ? row.actor_id : undefined,
    },
  );
  const sealed = row.seal_number !== null;
  const seal = step(
    { link: 'seal', state: sealed ? 'done' : 'pending', time: millis(row.sealed_at) },
    {
      chain: row.chain,
      position: row.position === null ? undefined : Number(row.position),
      hash: row.hash,
      seal: row.seal_number === null ? undefined : Number(row.seal_number),
    },
  );
  return [posting, seal];
}

export const eventStep = (row: Evidence): ProofStep =>
  step(
    { link: 'event', state: 'done', time: timeOfId(row.id) },
    {
      topic: 'request-consumed',
      id: row.id,
      partition: row.event_partition,
      offset: row.event_offset === null ? undefined : Number(row.event_offset),
    },
  );

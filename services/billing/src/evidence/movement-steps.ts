import { Injectable } from '@nestjs/common';
import { findRequest } from '@tollgate/contracts';
import type { ProofStep } from '@tollgate/contracts/api/proof';
import { InternalClient, timeOfId } from '@tollgate/chassis';
import type { z } from 'zod';
import { agreementSteps } from './agreement-steps.js';
import { type Evidence, EvidenceQueries } from './evidence.queries.js';
import { postingSteps } from './posting-steps.js';
import { step } from './steps.js';

type Told = z.output<typeof findRequest.output>;

/** What is written of a movement other than consumption once it is posted. */
@Injectable()
export class MovementSteps {
  constructor(
    private readonly queries: EvidenceQueries,
    private readonly internal: InternalClient,
  ) {}

  /**
   * Who agreed, its posting and seal, and then the event that told of it and the row of the log that was made of that. Both have the id of a
   * posting; what was booked before they had has other ones, and is shown without them.
   */
  async of(row: Evidence, all: boolean): Promise<ProofStep[]> {
    const agreed = all ? await agreementSteps(this.queries, row) : [];
    const teller = await this.queries.tellerOf(row);
    const told = await this.internal.call(findRequest, { requestId: teller });
    return [...agreed, ...postingSteps(row, all), ...eventStep(teller, told), ...logStep(told)];
  }
}

/** A row of the log is made of an event, even where its place was not noted. */
function eventStep(id: string, { log, place }: Told): ProofStep[] {
  if (!log && !place) return [];
  return [step({ link: 'event', state: 'done', time: timeOfId(id) }, { topic: place?.topic, id, ...place })];
}

function logStep({ log }: Told): ProofStep[] {
  if (!log) return [];
  const { id, type, content } = log;
  return [step({ link: 'log', state: 'done', time: log.created_at * 1000 }, { log_id: id, type, content })];
}

import { Injectable } from '@nestjs/common';
import { findRequest } from '@tollgate/contracts';
import type { ProofStep } from '@tollgate/contracts/api/proof';
import { InternalClient, timeOfId } from '@tollgate/chassis';
import type { z } from 'zod';
import { agreementSteps } from './agreement-steps.js';
import { type Evidence, EvidenceQueries } from './evidence.queries.js';
import { postingSteps } from './posting-steps.js';
import { step } from './steps.js';

type FoundRequest = z.output<typeof findRequest.output>;

/** The steps that follow the posting of a movement other than consumption. */
@Injectable()
export class MovementSteps {
  constructor(
    private readonly queries: EvidenceQueries,
    private readonly internal: InternalClient,
  ) {}

  /**
   * The approval, the posting and its seal, then the event that reported it and the log row made from that event. Event
   * and log row have the id of a posting. Movements booked before that was introduced have other ids there, and are
   * shown without these steps.
   */
  async of(row: Evidence, all: boolean): Promise<ProofStep[]> {
    const agreed = all ? await agreementSteps(this.queries, row) : [];
    const reportingPosting = await this.queries.reportingPostingOf(row);
    const logged = await this.internal.call(findRequest, { requestId: reportingPosting });
    return [...agreed, ...postingSteps(row, all), ...eventStep(reportingPosting, logged), ...logStep(logged, all)];
  }
}

/** A log row proves that there was an event, even where its place in the event log was not noted. */
function eventStep(id: string, { log, place }: FoundRequest): ProofStep[] {
  if (!log && !place) return [];
  return [step({ link: 'event', state: 'done', time: timeOfId(id) }, { topic: place?.topic, id, ...place })];
}

function logStep({ log }: FoundRequest, all: boolean): ProofStep[] {
  if (!log) return [];
  const { id, type, content } = log;
  return [
    step({ link: 'log', state: 'done', time: log.created_at * 1000 }, { ...(all && { log_id: id }), type, content }),
  ];
}

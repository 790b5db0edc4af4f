import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { findChange, findRequest } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { EventPlaces } from '../log/event-places.js';
import { LogStore } from '../store/log-store.js';
import { toLogReply } from './log.reply.js';

/** The log's records of one request and of one decision, for the chain of proof of a charge. */
@Controller()
export class EvidenceInternalController {
  constructor(
    private readonly em: EntityManager,
    private readonly places: EventPlaces,
    private readonly store: LogStore,
  ) {}

  @Answers(findRequest)
  async request(
    @Body({ schema: findRequest.input }) { requestId }: z.output<typeof findRequest.input>,
  ): Promise<z.output<typeof findRequest.output>> {
    const log = await this.store.find(requestId);
    return { log: log && toLogReply(log), place: await this.places.find(requestId) };
  }

  @Answers(findChange)
  async change(
    @Body({ schema: findChange.input }) { subjects, action, before }: z.output<typeof findChange.input>,
  ): Promise<z.output<typeof findChange.output>> {
    const entry = await this.em.findOne(
      AuditEntry,
      { subject: { $in: subjects }, action, happenedAt: { $lte: new Date(before) } },
      { orderBy: { happenedAt: 'desc', eventId: 'desc' }, disableIdentityMap: true },
    );
    if (!entry) return { change: null };
    return {
      change: { actorId: entry.actorId ?? null, subject: entry.subject, happenedAt: entry.happenedAt.getTime() },
    };
  }
}

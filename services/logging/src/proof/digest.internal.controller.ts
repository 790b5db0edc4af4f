import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { digestRequests } from '@tollgate/contracts';
import { Answers, NO_CHANNEL_TEST, requestDigest } from '@tollgate/chassis';
import type { z } from 'zod';
import { LogCompleteness } from './log-completeness.js';

/** The requests of a period as the usage log has them, for whoever compares them with the journal. */
@Controller()
export class DigestInternalController {
  constructor(
    private readonly em: EntityManager,
    private readonly completeness: LogCompleteness,
  ) {}

  @Answers(digestRequests)
  async digest(
    @Body({ schema: digestRequests.input }) { fromId, toId }: z.output<typeof digestRequests.input>,
  ): Promise<z.output<typeof digestRequests.output>> {
    const [row] = await this.em.execute<{ requests: string; units: string; digest: string }[]>(
      requestDigest('"event_id"', '"quota"', `"log" where "type" in (2, 5) and ${NO_CHANNEL_TEST}`),
      [fromId, toId],
    );
    const { requests = '0', units = '0', digest = '0' } = row ?? {};
    return { requests, units, digest, isComparable: await this.completeness.between(fromId, toId) };
  }
}

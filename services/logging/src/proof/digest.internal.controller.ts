import { Body, Controller } from '@nestjs/common';
import { digestRequests } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { LogStore } from '../store/log-store.js';
import { LogCompleteness } from './log-completeness.js';

/** The requests of a period as the usage log has them, for whoever compares them with the journal. */
@Controller()
export class DigestInternalController {
  constructor(
    private readonly store: LogStore,
    private readonly completeness: LogCompleteness,
  ) {}

  @Answers(digestRequests)
  async digest(
    @Body({ schema: digestRequests.input }) { fromId, toId }: z.output<typeof digestRequests.input>,
  ): Promise<z.output<typeof digestRequests.output>> {
    const digest = await this.store.digest(fromId, toId);
    return { ...digest, isComparable: await this.completeness.between(fromId, toId) };
  }
}

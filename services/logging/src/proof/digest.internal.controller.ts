import { Body, Controller } from '@nestjs/common';
import { digestRequests } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { LogStore } from '../store/log-store.js';
import { LogCompleteness } from './log-completeness.js';

/** A digest of the requests of a period in the usage log, to be compared with the journal. */
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

import { Body, Controller } from '@nestjs/common';
import { listUnbooked } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { JournalService } from './journal.service.js';

@Controller()
export class JournalInternalController {
  constructor(private readonly journal: JournalService) {}

  @Answers(listUnbooked)
  async listUnbooked(
    @Body({ schema: listUnbooked.input }) { ids }: z.output<typeof listUnbooked.input>,
  ): Promise<z.output<typeof listUnbooked.output>> {
    return { unbooked: await this.journal.listUnbooked(ids) };
  }
}

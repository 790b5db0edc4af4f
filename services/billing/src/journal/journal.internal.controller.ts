import { Body, Controller } from '@nestjs/common';
import { listBooked } from '@tollgate/contracts';
import { Answers } from '@tollgate/platform';
import type { z } from 'zod';
import { JournalService } from './journal.service.js';

@Controller()
export class JournalInternalController {
  constructor(private readonly journal: JournalService) {}

  @Answers(listBooked)
  async listBooked(
    @Body({ schema: listBooked.input }) { ids }: z.output<typeof listBooked.input>,
  ): Promise<z.output<typeof listBooked.output>> {
    return { booked: await this.journal.listBooked(ids) };
  }
}

import { Body, Controller, Query } from '@nestjs/common';
import { noteRefusedCalls, type Page, routes } from '@tollgate/contracts';
import { type RefusedCalls, type RefusedCallsQuery, refusedCallsQuerySchema } from '@tollgate/contracts/api/audit';
import { Answers, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { RefusedCallsStore } from './refused-calls.store.js';

/** Why model calls were refused: reported by relays, read by administrators. */
@Controller()
export class RefusedCallsController {
  constructor(private readonly store: RefusedCallsStore) {}

  @Answers(noteRefusedCalls)
  async note(
    @Body({ schema: noteRefusedCalls.input }) { batchId, rows }: z.output<typeof noteRefusedCalls.input>,
  ): Promise<z.output<typeof noteRefusedCalls.output>> {
    await this.store.write(batchId, rows);
    return {};
  }

  @Route(routes.listRefusedCalls)
  list(@Query({ schema: refusedCallsQuerySchema }) query: RefusedCallsQuery): Promise<Page<RefusedCalls>> {
    return this.store.list(query);
  }
}

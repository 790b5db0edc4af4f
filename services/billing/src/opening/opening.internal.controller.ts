import { Body, Controller } from '@nestjs/common';
import { openAccount } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { OpeningService } from './opening.service.js';

@Controller()
export class OpeningInternalController {
  constructor(private readonly openings: OpeningService) {}

  @Answers(openAccount)
  async open(
    @Body({ schema: openAccount.input }) input: z.output<typeof openAccount.input>,
  ): Promise<z.output<typeof openAccount.output>> {
    return { quota: await this.openings.open(input) };
  }
}

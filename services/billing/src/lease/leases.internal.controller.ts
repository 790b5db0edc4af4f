import { Body, Controller } from '@nestjs/common';
import { acquireLeases, syncLeases } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { LeaseService } from './lease.service.js';

@Controller()
export class LeasesInternalController {
  constructor(private readonly leases: LeaseService) {}

  @Answers(acquireLeases)
  acquire(
    @Body({ schema: acquireLeases.input }) input: z.output<typeof acquireLeases.input>,
  ): Promise<z.output<typeof acquireLeases.output>> {
    return this.leases.acquire(input.replicaEpoch, input.requests);
  }

  @Answers(syncLeases)
  sync(
    @Body({ schema: syncLeases.input }) input: z.output<typeof syncLeases.input>,
  ): Promise<z.output<typeof syncLeases.output>> {
    return this.leases.sync(input);
  }
}

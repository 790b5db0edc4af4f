import { Controller } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import type { Demonstration } from '@tollgate/contracts/api/channel';
import { type Caller, CurrentCaller, Route } from '@tollgate/chassis';
import { DemonstrationService } from './demonstration.service.js';

@Controller()
export class DemonstrationController {
  constructor(private readonly demonstration: DemonstrationService) {}

  @Route(routes.getDemonstration)
  async get(): Promise<Demonstration> {
    return { available: this.demonstration.isAvailable, channel_id: await this.demonstration.channelId() };
  }

  @Route(routes.createDemonstration)
  async create(@CurrentCaller() caller: Caller): Promise<Demonstration> {
    return { available: true, channel_id: await this.demonstration.create(caller) };
  }
}

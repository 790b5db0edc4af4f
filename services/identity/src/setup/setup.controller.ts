import { Body, Controller } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import type { SetupStatus } from '@tollgate/contracts/api/setup';
import { Message, Route } from '@tollgate/platform';
import { SetupService } from './setup.service.js';

@Controller()
export class SetupController {
  constructor(private readonly setup: SetupService) {}

  @Route(routes.getSetup)
  status(): Promise<SetupStatus> {
    return this.setup.status();
  }

  /** The body is judged by the service, because a system that is set up says so whatever was sent. */
  @Route(routes.postSetup)
  async run(@Body() body: unknown): Promise<Message> {
    await this.setup.run(body);
    return new Message('系统初始化成功');
  }
}

import { Body, Controller, Req } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import type { SetupStatus } from '@tollgate/contracts/api/setup';
import { isLocalCaller, Message, type PlatformRequest, Route } from '@tollgate/chassis';
import { SetupService } from './setup.service.js';

@Controller()
export class SetupController {
  constructor(private readonly setup: SetupService) {}

  @Route(routes.getSetup)
  status(@Req() request: PlatformRequest): Promise<SetupStatus> {
    return this.setup.status(isLocalCaller(request));
  }

  /** The service validates the body, because after the set-up every call gets the same error, whatever its body. */
  @Route(routes.postSetup)
  async run(@Body() body: unknown, @Req() request: PlatformRequest): Promise<Message> {
    await this.setup.run(body, isLocalCaller(request));
    return new Message('系统初始化成功');
  }
}

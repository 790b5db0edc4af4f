import { Controller, Query } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { type DeleteLogsQuery, deleteLogsQuerySchema } from '@tollgate/contracts/api/log';
import { type Caller, CurrentCaller, Route } from '@tollgate/chassis';
import { LogClearService } from './log-clear.service.js';

@Controller()
export class LogClearController {
  constructor(private readonly logs: LogClearService) {}

  @Route(routes.deleteLogs)
  clear(
    @Query({ schema: deleteLogsQuerySchema }) { target_timestamp: target }: DeleteLogsQuery,
    @CurrentCaller() { userId }: Caller,
  ): Promise<number> {
    return this.logs.clear(target, userId);
  }
}

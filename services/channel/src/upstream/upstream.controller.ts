import { Body, Controller, Param } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { type ChannelBalanceReply, fetchModelsSchema } from '@tollgate/contracts/api/channel';
import {
  AppError,
  type Caller,
  CurrentCaller,
  type IdParam,
  idParamSchema,
  INVALID_INPUT,
  RawReply,
  Route,
  toInvalid,
} from '@tollgate/chassis';
import { BalanceService } from './balance.service.js';
import { UpstreamAudit } from './upstream-audit.js';
import { UpstreamModelsService } from './upstream-models.service.js';

const KEY_MISSING = '请填写密钥';

@Controller()
export class UpstreamController {
  constructor(
    private readonly balances: BalanceService,
    private readonly models: UpstreamModelsService,
    private readonly audit: UpstreamAudit,
  ) {}

  @Route(routes.updateBalances)
  refreshAll(@CurrentCaller() caller: Caller): Promise<void> {
    return this.balances.refreshAll({ begun: () => this.audit.note(caller, 'channel-balance', 'all') });
  }

  @Route(routes.updateBalance)
  async refresh(@CurrentCaller() caller: Caller, @Param({ schema: idParamSchema }) { id }: IdParam): Promise<RawReply> {
    const balance = await this.balances.refresh(id);
    await this.audit.note(caller, 'channel-balance', [id], { balance });
    return new RawReply({ success: true, message: '', balance } satisfies ChannelBalanceReply);
  }

  @Route(routes.fetchChannelModels)
  fetchStored(@Param({ schema: idParamSchema }) { id }: IdParam): Promise<string[]> {
    return this.models.ofChannel(id);
  }

  /** Documented statuses: 400 for an invalid body, 500 when the upstream does not return a list. */
  @Route(routes.fetchModels)
  async fetch(@Body() body: unknown): Promise<string[]> {
    const form = fetchModelsSchema.safeParse(body);
    if (!form.success) {
      const { message } = toInvalid(form.error.issues);
      const shown = message === INVALID_INPUT ? 'Invalid request' : message;
      throw new AppError('invalid', 'invalid-input', shown, message === KEY_MISSING ? { status: 200 } : {});
    }
    try {
      return await this.models.ofForm(form.data);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'upstream') throw error;
      throw new AppError('upstream', error.code, error.message, { ...error.details, cause: error, status: 500 });
    }
  }
}

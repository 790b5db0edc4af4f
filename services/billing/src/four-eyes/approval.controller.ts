import { Body, Controller, Param, Query } from '@nestjs/common';
import { type Page, routes } from '@tollgate/contracts';
import {
  type Approval as ApprovalReply,
  type ApprovalQuery,
  approvalQuerySchema,
  approveSchema,
  type PendingApprovals,
  refuseApprovalSchema,
} from '@tollgate/contracts/api/approval';
import { type Caller, CurrentCaller, type IdParam, idParamSchema, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { ApprovalDecisions } from './approval-decisions.js';
import { ApprovalQueries } from './approval.queries.js';

@Controller()
export class ApprovalController {
  constructor(
    private readonly queries: ApprovalQueries,
    private readonly decisions: ApprovalDecisions,
  ) {}

  @Route(routes.listApprovals)
  list(@Query({ schema: approvalQuerySchema }) query: ApprovalQuery): Promise<Page<ApprovalReply>> {
    return this.queries.list(query);
  }

  @Route(routes.countPendingApprovals)
  pending(@CurrentCaller() caller: Caller): Promise<PendingApprovals> {
    return this.queries.pending(caller);
  }

  @Route(routes.getApproval)
  get(@Param({ schema: idParamSchema }) { id }: IdParam): Promise<ApprovalReply> {
    return this.queries.get(id);
  }

  @Route(routes.approve)
  async approve(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamSchema }) { id }: IdParam,
    @Body({ schema: approveSchema }) { note }: z.output<typeof approveSchema>,
  ): Promise<ApprovalReply> {
    return this.decisions.approve(id, note, caller);
  }

  @Route(routes.refuseApproval)
  refuse(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamSchema }) { id }: IdParam,
    @Body({ schema: refuseApprovalSchema }) { note }: z.output<typeof refuseApprovalSchema>,
  ): Promise<ApprovalReply> {
    return this.decisions.refuse(id, note, caller);
  }

  @Route(routes.withdrawApproval)
  withdraw(@CurrentCaller() caller: Caller, @Param({ schema: idParamSchema }) { id }: IdParam): Promise<ApprovalReply> {
    return this.decisions.withdraw(id, caller);
  }
}

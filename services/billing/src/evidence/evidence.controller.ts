import { Controller, Param } from '@nestjs/common';
import { Role, routes } from '@tollgate/contracts';
import { type Proof, type ProofKind, type ProofParam, proofParamSchema } from '@tollgate/contracts/api/proof';
import { AppError, type Caller, CurrentCaller, isUuid, Route } from '@tollgate/chassis';
import { MovementChain } from './movement-chain.js';
import { type Chain, RequestChain } from './request-chain.js';
import { isComplete } from './steps.js';

/** Users see the chains of proof of their own movements; administrators see all of them, including internal details. */
@Controller()
export class EvidenceController {
  constructor(
    private readonly requests: RequestChain,
    private readonly movements: MovementChain,
  ) {}

  @Route(routes.getProof)
  async get(
    @CurrentCaller() { userId, role }: Caller,
    @Param({ schema: proofParamSchema }) { kind, id }: ProofParam,
  ): Promise<Proof> {
    const all = role >= Role.admin;
    const chain = await this.finders[kind](id);
    if (!chain || (!all && chain.userId !== userId))
      throw new AppError('not-found', 'proof-not-found', '没有找到对应的记录', { params: { id } });
    const steps = await chain.steps(all);
    return { kind, id, user_id: chain.userId, complete: isComplete(steps), steps };
  }

  private readonly finders: Record<ProofKind, (id: string) => Promise<Chain | undefined>> = {
    request: (id) => this.request(id),
    // A task is charged by the request that submitted it, and its refund names that request.
    task: (id) => this.request(id, { isTask: true }),
    order: (id) => this.movements.order(id),
    code: (id) => this.movements.code(id),
    posting: async (id) => (await this.request(id, { booked: true })) ?? this.movements.posting(id),
  };

  private async request(id: string, { booked = false, isTask = false } = {}): Promise<Chain | undefined> {
    if (!isUuid(id)) return undefined;
    if (booked && !(await this.requests.isCharge(id.toLowerCase()))) return undefined;
    return this.requests.find(id.toLowerCase(), isTask);
  }
}

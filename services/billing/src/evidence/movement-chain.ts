import { Injectable } from '@nestjs/common';
import type { ProofStep } from '@tollgate/contracts/api/proof';
import { RedemptionStatus } from '@tollgate/contracts/api/redemption';
import { isUuid, timeOfId } from '@tollgate/chassis';
import { correctedRequest } from '../correction/correction-names.js';
import type { TopUpStep } from '../top-up/top-up-order.entity.js';
import { type CodeFacts, type Evidence, EvidenceQueries } from './evidence.queries.js';
import { MovementSteps } from './movement-steps.js';
import type { Chain } from './request-chain.js';
import { step } from './steps.js';

/** Finds what led to movements other than consumption: orders, codes, adjustments, gifts and refunds. */
@Injectable()
export class MovementChain {
  constructor(
    private readonly queries: EvidenceQueries,
    private readonly movements: MovementSteps,
  ) {}

  async order(tradeNo: string): Promise<Chain | undefined> {
    const found = await this.queries.order(tradeNo);
    if (!found) return undefined;
    const { order, steps } = found;
    return {
      userId: order.userId,
      steps: async (all) => {
        const orderSteps = steps.map((entry) => orderStep(entry, order, all));
        const rows = await this.queries.byReference([tradeNo], ['top-up', 'refund']);
        const owed = { paid: 1, refunded: 2 }[order.status as string] ?? 0;
        const lacking = rows.length < owed ? [step({ link: 'posting', state: 'missing', time: 0 }, {})] : [];
        return [...orderSteps, ...(await this.rowsOf(rows, all)), ...lacking];
      },
    };
  }

  async code(id: string): Promise<Chain | undefined> {
    const [row] = await this.queries.byReference([id], ['redemption']);
    if (row) return this.ofPosting(row);
    const code = isNumber(id) ? await this.queries.codeOf(Number(id)) : undefined;
    if (!code) return undefined;
    const lacking =
      code.status === RedemptionStatus.used ? [step({ link: 'posting', state: 'missing', time: 0 }, {})] : [];
    return {
      userId: code.usedBy,
      steps: (all) => Promise.resolve([codeStep(id, code, all), ...lacking]),
    };
  }

  /** The chain of proof of the posting with this id. */
  async posting(id: string): Promise<Chain | undefined> {
    const row = isUuid(id) ? await this.queries.posting(id.toLowerCase()) : undefined;
    return row && this.ofPosting(row);
  }

  private ofPosting(row: Evidence): Chain {
    return {
      userId: row.user_id,
      steps: async (all) => [...(await this.sourceOf(row, all)), ...(await this.rowsOf([row], all))],
    };
  }

  private async sourceOf(row: Evidence, all: boolean): Promise<ProofStep[]> {
    if (row.code === 'task-refund')
      return [step({ link: 'task', state: 'done', time: timeOfId(row.id) }, { request_id: row.reference })];
    if (row.code === 'correction') {
      const id = correctedRequest(row.reference);
      return [step({ link: 'received', state: 'done', time: timeOfId(id) }, { request_id: id, user_id: row.user_id })];
    }
    if (row.code === 'redemption' && isNumber(row.reference)) {
      const code = await this.queries.codeOf(Number(row.reference));
      if (!code) return [step({ link: 'code', state: 'missing', time: 0 }, { code_id: row.reference })];
      return [codeStep(row.reference, code, all)];
    }
    if (row.code !== 'top-up' && row.code !== 'refund') return [];
    const found = await this.queries.order(row.reference);
    if (!found) return [step({ link: 'order', state: 'missing', time: 0 }, { trade_no: row.reference })];
    return found.steps.map((entry) => orderStep(entry, found.order, all));
  }

  private async rowsOf(rows: readonly Evidence[], all: boolean): Promise<ProofStep[]> {
    const parts: ProofStep[] = [];
    for (const row of rows) parts.push(...(await this.movements.of(row, all)));
    return parts;
  }
}

const isNumber = (text: string): boolean => /^\d{1,9}$/.test(text);

const codeStep = (id: string, { name, creator, createdAt }: CodeFacts, all: boolean): ProofStep =>
  step(
    { link: 'code', state: 'done', time: createdAt * 1000 },
    { code_id: id, name, ...(all && { creator_id: creator }) },
  );

const orderStep = (entry: TopUpStep, order: { money: string; currency: string }, all: boolean): ProofStep =>
  step(
    { link: 'order', state: 'done', time: entry.happenedAt.getTime() },
    {
      trade_no: entry.tradeNo,
      event: entry.kind,
      verdict: entry.verdict,
      status: entry.toStatus,
      money: entry.kind === 'created' ? `${order.money} ${order.currency}` : undefined,
      reason: entry.reason,
      actor_id: all && entry.actorId > 0 ? entry.actorId : undefined,
    },
  );

import { Injectable } from '@nestjs/common';
import { Logger, wasCutOff } from '@tollgate/chassis';
import type { Answer, Counted } from './counted.js';
import { believedSoFar } from './stated-usage.js';
import { UsageCounter } from './usage-counter.js';
import { abortPolicyOf, Departure, Drains } from '../upstream/departure.js';
import { type Ending, noUsage } from '../call/outcome.js';
import { Settlement } from './settlement.js';
import { routeOf, type Try } from '../upstream/try.js';

/**
 * The error of a request that this relay's stop interrupted before the client got anything; the client did not leave.
 */
const stopped: Ending['error'] = {
  status: 503,
  code: 'relay_stopped',
  type: 'new_api_error',
  message: '服务正在停止，请求已中断，不收取费用',
};

const unreported: Counted = { usage: noUsage, usageSource: 'upstream' };

/**
 * Handles requests whose client left before the answer began, but after the upstream had begun to work. That is no
 * failure; it is charged if the upstream used anything.
 */
@Injectable()
export class Abandonment {
  private readonly drains = new Drains();

  constructor(
    private readonly settlement: Settlement,
    private readonly usage: UsageCounter,
    private readonly logger: Logger,
  ) {}

  departure(setting: Parameters<typeof abortPolicyOf>[0]): Departure {
    return new Departure(abortPolicyOf(setting), this.drains);
  }

  /** The process stops: answers whose clients have left are booked as far as they were received. */
  stopReading(): void {
    this.drains.end();
  }

  /**
   * Writes the record that is booked if the process dies before the end. Never rejects, because the end is recorded
   * even without it.
   */
  async open(current: Try): Promise<void> {
    const { call, granted } = current;
    if (current.departure.policy === 'reported' || wasCutOff(call.response)) return;
    try {
      const counted: Counted = { usage: await this.usage.countPrompt(current), usageSource: 'estimated' };
      await this.settlement.open(call, granted, routeOf(current, 'ok', 0), counted);
    } catch (error) {
      this.logger.warn('an abandoned request could not be recorded before its end', {
        error,
        requestId: call.requestId,
      });
    }
  }

  /**
   * Writes the final record: charged by what the upstream stated; otherwise, by the channel's policy, for the prompt or
   * nothing. What this relay's stop interrupted is not charged.
   */
  async close(current: Try, status: number, answer?: Answer): Promise<void> {
    const { call, granted, departure } = current;
    const route = routeOf(current, 'ok', status);
    if (wasCutOff(call.response)) return this.settlement.undelivered(call, granted, route, stopped);
    await this.settlement.closeDelivered(call, granted, route, {
      ...(await this.count(current, answer)),
      outcome: 'client_abort',
      abortPolicy: departure.policy,
    });
  }

  /** Usage of an answer that was cut short, or was only read on for its usage. */
  async count(current: Try, answer?: Answer): Promise<Counted> {
    const { departure } = current;
    const isSilent = departure.policy === 'reported';
    if (answer && (answer.stated || !isSilent)) return this.usage.count(current, answer);
    if (!isSilent) return { usage: await this.usage.countPrompt(current), usageSource: 'estimated' };
    const soFar = answer && believedSoFar(current, answer);
    return soFar ? { usage: soFar, usageSource: 'upstream' } : unreported;
  }
}

import { Injectable } from '@nestjs/common';
import { Logger, wasCutOff } from '@tollgate/chassis';
import { type Answer, believedSoFar, type Counted, UsageCounter } from './usage-counter.js';
import { abortPolicyOf, Departure, Drains } from '../upstream/departure.js';
import { type Ending, noUsage } from '../call/outcome.js';
import { Settlement } from './settlement.js';
import { routeOf, type Try } from '../upstream/try.js';

/** Nobody left: the process stopped, and the client has nothing. */
const stopped: Ending['error'] = {
  status: 503,
  code: 'relay_stopped',
  type: 'new_api_error',
  message: '服务正在停止，请求已中断，不收取费用',
};

const unreported: Counted = { usage: noUsage, usageSource: 'upstream' };

/** Requests whose client left before the answer began, after the upstream began to work: leaving is no failure, and not free. */
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

  /** The process ends: answers that nobody waits for are booked as far as they came. */
  stopReading(): void {
    this.drains.end();
  }

  /** What is booked should we die before the end. Never rejects: without it the end is recorded all the same. */
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

  /** The one record: what the upstream stated, else by the channel's policy the prompt or nothing; nothing for what our own stop cut off. */
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

  /** Of an answer that was cut short, or read to its end for its usage only. */
  async count(current: Try, answer?: Answer): Promise<Counted> {
    const { departure } = current;
    const isSilent = departure.policy === 'reported';
    if (answer && (answer.stated || !isSilent)) return this.usage.count(current, answer);
    if (!isSilent) return { usage: await this.usage.countPrompt(current), usageSource: 'estimated' };
    const soFar = answer && believedSoFar(current, answer);
    return soFar ? { usage: soFar, usageSource: 'upstream' } : unreported;
  }
}

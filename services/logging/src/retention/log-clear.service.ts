import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction, type AuditAction } from '@tollgate/contracts';
import { AppError, Clock } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { LogStore } from '../store/log-store.js';

/** Seconds by which the time may be ahead of this server's clock. */
const DAY = 86_400;

@Injectable()
export class LogClearService {
  constructor(
    private readonly em: EntityManager,
    private readonly store: LogStore,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes every row older than the time, of all types, and returns their number. The audit log gets one entry before
   * the first row is removed, and one with the number after the last.
   */
  async clear(targetTimestamp: number, actorId: number): Promise<number> {
    if (targetTimestamp <= 0)
      throw new AppError('invalid', 'target-timestamp-required', 'target timestamp is required');
    // Milliseconds, for example, would remove the whole log.
    if (targetTimestamp > this.clock.seconds() + DAY)
      throw new AppError('invalid', 'target-timestamp-ahead', '目标时间不能晚于一天之后，请以秒为单位');
    await this.record(actorId, 'log-clear', { target_timestamp: targetTimestamp });
    const rows = await this.store.clear(targetTimestamp);
    await this.record(actorId, 'log-cleared', { target_timestamp: targetTimestamp, rows });
    return rows;
  }

  private async record(actorId: number, action: AuditAction, after: Record<string, unknown>): Promise<void> {
    await this.em.transactional(() => this.outbox.add(adminAction, { actorId, action, subject: 'log', after }));
  }
}

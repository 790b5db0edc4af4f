import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from '../log/logger.js';
import type { EventLog, LogRecord } from './event-log.js';
import type { Leader } from './leader.js';

export interface OutboxPumpOptions {
  em: EntityManager;
  eventLog: EventLog;
  leader: Leader;
  log: Logger;
  /** Told after the log has the records, for the "look again" broadcast. */
  onPublished?: (topic: string, records: readonly LogRecord[]) => void | Promise<void>;
}

/** Carries committed outbox rows of one service to the event log, on the leader only. */
export class OutboxPump {
  constructor(private readonly options: OutboxPumpOptions) {}

  start(): void {
    this.options.log.debug('outbox pump');
  }

  /** Asks for a run now. */
  kick(): void {
    this.options.log.debug('outbox pump');
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}

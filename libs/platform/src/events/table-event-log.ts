import type { Logger } from '../log/logger.js';
import { EventLog, type LogRecord, type Offsets, type Subscription } from './event-log.js';

export interface TableEventLogOptions {
  url: string;
  log: Logger;
}

/** The event log in a schema of the database: one process, the same promises as Kafka. */
export class TableEventLog extends EventLog {
  constructor(private readonly options: TableEventLogOptions) {
    super();
  }

  start(_topics: readonly { name: string; partitions: number }[]): Promise<void> {
    return Promise.reject(new Error(`not built ${typeof this.options}`));
  }
  append(_topic: string, _records: readonly LogRecord[]): Promise<void> {
    return Promise.reject(new Error('not built'));
  }
  subscribe(_subscription: Subscription): Promise<void> {
    return Promise.reject(new Error('not built'));
  }
  ends(_topics: readonly string[]): Promise<Offsets> {
    return Promise.reject(new Error('not built'));
  }
  committed(_group: string, _topics: readonly string[]): Promise<Offsets> {
    return Promise.reject(new Error('not built'));
  }
  stop(): Promise<void> {
    return Promise.resolve();
  }
}

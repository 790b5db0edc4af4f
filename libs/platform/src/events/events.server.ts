import type { MikroORM } from '@mikro-orm/postgresql';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { ServiceName } from '@tollgate/contracts';
import type { Logger } from '../log/logger.js';
import type { EventLog } from './event-log.js';

export interface EventsServerOptions {
  service: ServiceName;
  eventLog: EventLog;
  log: Logger;
  /** Absent in a service without tables: poison is then logged and skipped. */
  orm?: MikroORM;
}

/** Nest's transport of events: hands batches of the log to `@OnEvent` methods. */
export class EventsServer extends Server implements CustomTransportStrategy {
  constructor(private readonly options: EventsServerOptions) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    callback(new Error(`not built: ${this.options.service}`));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  on(): void {
    throw new Error('events have no transport events');
  }

  unwrap<T>(): T {
    return this.options.eventLog as T;
  }
}

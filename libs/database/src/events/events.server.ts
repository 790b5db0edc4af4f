import type { MikroORM } from '@mikro-orm/postgresql';
import { BaseRpcContext, Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { EventContract, ServiceName } from '@tollgate/contracts';
import { lastValueFrom } from 'rxjs';
import { AppError, type Logger, type EventLog, type ReadRecord } from '@tollgate/chassis';
import { EventDelivery, type EventHandler } from './event-delivery.js';
import type { EventExtras } from './on-event.js';

interface EventsServerOptions {
  service: ServiceName;
  eventLog: EventLog;
  log: Logger;
  /** Absent in a service without tables: an event that cannot be handled is then logged and skipped. */
  orm?: MikroORM;
}

/**
 * Transports events to Nest handlers. Nest's own servers deliver single messages and drop the error of a second handler; this one passes
 * whole batches to each `@OnEvent` method and decides by its error whether to retry or to continue.
 */
export class EventsServer extends Server implements CustomTransportStrategy {
  /** Errors are passed on to the event log; otherwise Nest would log each a second time. */
  override readonly propagatesEventHandlerErrors = true;
  private readonly eventHandlers = new Map<string, EventHandler[]>();
  private readonly delivery: EventDelivery;
  private readonly running = new Set<Promise<void>>();
  private closed = false;

  constructor(private readonly options: EventsServerOptions) {
    super();
    this.delivery = new EventDelivery(options.orm, options.log);
  }

  /** Several methods may handle the same event; Nest would chain them into one call with one outcome. */
  override addHandler(
    pattern: unknown,
    callback: MessageHandler,
    isEventHandler = false,
    extras: Partial<EventExtras> = {},
  ): void {
    const { contract, handler } = extras;
    if (!isEventHandler || !contract || handler === undefined)
      throw new Error(`handlers of events are declared by @OnEvent, not by a pattern (${String(pattern)})`);
    super.addHandler(`${contract.name}:${handler}`, callback, false, extras);
    const entry: EventHandler = { contract, name: handler, call: (batch) => this.invoke(callback, contract, batch) };
    this.eventHandlers.set(contract.name, [...(this.eventHandlers.get(contract.name) ?? []), entry]);
  }

  /** A handler may return a value, a promise or an observable; waits for its completion. */
  private async invoke(callback: MessageHandler, contract: EventContract, batch: unknown): Promise<void> {
    const outcome: unknown = await callback(batch, new BaseRpcContext([contract.name]));
    await lastValueFrom(this.transformToObservable(outcome), { defaultValue: undefined });
  }

  listen(callback: (error?: unknown) => void): void {
    this.subscribe().then(() => callback(), callback);
  }

  /** Topics that this service has a handler for. */
  get topics(): readonly string[] {
    return [...this.eventHandlers.keys()];
  }

  private async subscribe(): Promise<void> {
    const { topics } = this;
    if (topics.length === 0) return;
    await this.options.eventLog.subscribe({
      group: this.options.service,
      topics,
      handle: (records) => this.take(records),
    });
  }

  private take(records: readonly ReadRecord[]): Promise<void> {
    if (this.closed)
      return Promise.reject(new AppError('unavailable', 'service-stopping', `${this.options.service} is stopping`));
    const work = this.deliver(records).finally(() => this.running.delete(work));
    this.running.add(work);
    return work;
  }

  private async deliver(records: readonly ReadRecord[]): Promise<void> {
    const topics = new Set(records.map(({ topic }) => topic));
    for (const topic of topics) {
      await this.delivery.deliver(
        this.eventHandlers.get(topic) ?? [],
        records.filter((record) => record.topic === topic),
      );
    }
  }

  /** Accepts no more records and waits for running handlers; other records stay uncommitted. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled([...this.running]);
  }

  on(): never {
    throw new Error('the event log has no transport events');
  }

  unwrap<T>(): T {
    return this.options.eventLog as T;
  }
}

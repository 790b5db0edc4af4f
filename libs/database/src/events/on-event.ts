import type { EventContract } from '@tollgate/contracts';
import { UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { RethrowFilter } from './rethrow.filter.js';

/** What the transport needs about a handler, passed as extras of its pattern. */
export interface EventExtras {
  contract: EventContract;
  /** `Class.method`, for logs and the quarantine. */
  handler: string;
}

/** Subscribes a controller method to batches of an event. Every event is parsed before the call. */
export const OnEvent =
  (contract: EventContract): MethodDecorator =>
  (target, key, descriptor) => {
    const extras: EventExtras = { contract, handler: `${target.constructor.name}.${String(key)}` };
    EventPattern<string>(contract.name, { ...extras })(target, key, descriptor);
    UseFilters(RethrowFilter)(target, key, descriptor);
  };

import type { EventContract, EventOf, ServiceName } from '@tollgate/contracts';
import type { EntityManager } from '@mikro-orm/postgresql';

/** Where a service puts its events, in the transaction of the change they tell about. */
export class Outbox {
  constructor(
    private readonly em: EntityManager,
    private readonly source: ServiceName,
    private readonly kick: () => void,
  ) {}

  /** Call last, in a transaction that has locked the aggregate's row: the event leaves if, and only if, it commits. */
  add<C extends EventContract>(contract: C, data: EventOf<C>['data']): Promise<void> {
    return Promise.reject(new Error(`not built: ${this.source} ${contract.name} ${typeof data} ${typeof this.em} ${typeof this.kick}`));
  }
}

import type { EventContract, EventOf, ServiceName } from '@tollgate/contracts';
import { serialise, storableText, toEnvelope } from '@tollgate/chassis';

export interface OutboxRow {
  topic: string;
  key: string;
  value: string;
}

/** For commands that run beside the service, whose pump then sends the row. Values: topic, key and value, in this order. */
export const INSERT_OUTBOX_ROW = `insert into "outbox_event" ("topic", "key", "value") values ($1, $2, $3)`;

/** An event as an outbox row. It gets an id of its own, or that of the row it is about. */
export function outboxRow<C extends EventContract>(
  contract: C,
  source: ServiceName,
  data: EventOf<C>['data'],
  id?: string,
): OutboxRow {
  const envelope = toEnvelope(contract, source, data, id);
  return { topic: contract.name, key: storableText(envelope.subject), value: serialise(envelope) };
}

import type { EventContract, EventEnvelope, EventOf } from '@tollgate/contracts';
import { envelopeSchema } from '@tollgate/contracts';
import { v7 } from 'uuid';
import { currentTraceparent } from '../context/request-scope.js';
import { isoTime } from '../timing/iso-time.js';

/** A CloudEvent in the contract's current version. Throws for data that breaks the contract, so that nothing invalid is stored. */
export const toEnvelope = <C extends EventContract>(
  contract: C,
  source: string,
  data: EventOf<C>['data'],
  id: string = v7(),
): EventOf<C> => enclose(contract, source, contract.data.parse(bounded(contract, data)) as EventOf<C>['data'], id);

/** As `toEnvelope`, but without validation, for data that the producer's types and tests guarantee; consumers validate it in any case. */
export const envelopeOf = <C extends EventContract>(
  contract: C,
  source: string,
  data: EventOf<C>['data'],
  id: string,
): EventOf<C> => enclose(contract, source, bounded(contract, data), id);

const bounded = <C extends EventContract>(contract: C, data: EventOf<C>['data']): EventOf<C>['data'] =>
  contract.bound ? (contract.bound(data) as EventOf<C>['data']) : data;

function enclose<C extends EventContract>(
  contract: C,
  source: string,
  data: EventOf<C>['data'],
  id: string,
): EventOf<C> {
  const traceparent = currentTraceparent();
  return {
    specversion: '1.0',
    id,
    type: contract.name,
    source,
    subject: contract.key(data),
    time: isoTime(Date.now()),
    datacontenttype: 'application/json',
    dataversion: contract.version,
    traceparent,
    data,
  };
}

/**
 * Parses a record of the log with envelope and contract schemas, upcasts older versions and replaces unknown enum values of later releases
 * with general ones. Throws when the record is invalid or of a later version, whose data may mean something else in spite of its form.
 */
export function fromRecord<C extends EventContract>(contract: C, value: string): EventOf<C> {
  const envelope: EventEnvelope = envelopeSchema.parse(JSON.parse(value));
  if (envelope.type !== contract.name) throw new Error(`event "${envelope.type}" on topic "${contract.name}"`);
  const { dataversion } = envelope;
  if (dataversion > contract.version)
    throw new Error(
      `event "${contract.name}" has version ${dataversion}, this release knows only up to ${contract.version}`,
    );
  const lifted = dataversion < contract.version ? liftedData(contract, envelope) : envelope.data;
  const understood = contract.understood ? contract.understood(lifted) : lifted;
  return { ...envelope, data: contract.data.parse(understood) as EventOf<C>['data'] };
}

function liftedData(contract: EventContract, envelope: EventEnvelope): unknown {
  if (!contract.upcast) throw new Error(`event "${contract.name}" has no way up from version ${envelope.dataversion}`);
  return contract.upcast(envelope.data, envelope.dataversion);
}

import type { ReadRecord } from '@tollgate/chassis';

/** Position of an event in the log. */
interface EventPlace {
  partition: number;
  offset: bigint;
}

const places = new WeakMap<object, EventPlace>();

export const notePlace = (event: object, { partition, offset }: Pick<ReadRecord, 'partition' | 'offset'>): void =>
  void places.set(event, { partition, offset });

/** Position of an event that a handler received; `undefined` for an event from elsewhere. */
export const placeOfEvent = (event: object): EventPlace | undefined => places.get(event);

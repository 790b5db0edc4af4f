import type { ReadRecord } from '@tollgate/chassis';

/** Where an event lies in the log. */
export interface EventPlace {
  partition: number;
  offset: bigint;
}

const places = new WeakMap<object, EventPlace>();

export const notePlace = (event: object, { partition, offset }: Pick<ReadRecord, 'partition' | 'offset'>): void =>
  void places.set(event, { partition, offset });

/** Where an event that a handler was given lies in the log; undefined for one that came another way. */
export const placeOfEvent = (event: object): EventPlace | undefined => places.get(event);

import { type EventEnvelope, MAX_CONSUMPTION_BYTES, requestConsumed } from '@tollgate/contracts';

/**
 * Converts a record of an older release, which did not bound its records, to the current version of the contract. A
 * record that does not match its contract stays as it is; its reader reports the fault.
 */
export function lifted(event: EventEnvelope): EventEnvelope {
  if (event.dataversion >= requestConsumed.version) return event;
  const { success, data } = requestConsumed.data.safeParse(requestConsumed.upcast?.(event.data, event.dataversion));
  return success ? { ...event, dataversion: requestConsumed.version, data } : event;
}

/**
 * The record to send to the event log: the bytes of the spool unchanged, unless they are larger than a record may be,
 * which only older releases wrote.
 */
export function withinSize(payload: string): string {
  // No UTF-16 unit takes more than three bytes in UTF-8, so most records need not be measured.
  if (3 * payload.length <= MAX_CONSUMPTION_BYTES || Buffer.byteLength(payload) <= MAX_CONSUMPTION_BYTES)
    return payload;
  return JSON.stringify(lifted(JSON.parse(payload) as EventEnvelope));
}

import { type EventEnvelope, MAX_CONSUMPTION_BYTES, requestConsumed } from '@tollgate/contracts';

/**
 * What a release wrote that did not bound its records, as the present version of the contract has it. A record that keeps to no
 * contract stays as it is: its reader says what is wrong with it.
 */
export function lifted(event: EventEnvelope): EventEnvelope {
  if (event.dataversion >= requestConsumed.version) return event;
  const { success, data } = requestConsumed.data.safeParse(requestConsumed.upcast?.(event.data, event.dataversion));
  return success ? { ...event, dataversion: requestConsumed.version, data } : event;
}

/** The bytes of the spool are the bytes of the log, but for a record of such a release that is larger than one may be. */
export function withinSize(payload: string): string {
  // No UTF-16 unit takes more than three bytes, so that most records need not be measured.
  if (3 * payload.length <= MAX_CONSUMPTION_BYTES || Buffer.byteLength(payload) <= MAX_CONSUMPTION_BYTES)
    return payload;
  return JSON.stringify(lifted(JSON.parse(payload) as EventEnvelope));
}

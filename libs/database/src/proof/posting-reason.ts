/**
 * Follows the outcome in the reason of a posting of consumption if the call used nothing. As in the reference, such a
 * call is no request of its user. Postings of earlier releases have no such mark, and were counted.
 */
export const UNUSED = ' unused';

/** The outcome in the reason of a posting of consumption, as an SQL expression. */
export const outcomeIn = (reason: string): string => `split_part(${reason}, ' ', 1)`;

/** Whether a posting of consumption with this reason counts as a request of its user, as an SQL expression. */
export const countsAsRequest = (reason: string): string =>
  `${reason} is distinct from 'failed' and right(${reason}, ${UNUSED.length}) is distinct from '${UNUSED}'`;

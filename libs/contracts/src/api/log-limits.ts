/** Pages of the log end at this row, and totals at this number; older rows can be reached by the time filters. */
export const REACHABLE_LOGS = 1_000_000;

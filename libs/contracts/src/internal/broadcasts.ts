/** Broadcasts that no event precedes; they feed the streams of live updates, and a lost one delays what a console shows at most. */
export const broadcasts = {
  /** Rows and sums of these users were committed: ids, comma-separated. */
  usageLogged: 'usage-logged',
  /** Consumption of these users was booked: ids, comma-separated. */
  balanceBooked: 'balance-booked',
  /** A replica of identity answers `GET /api/status` differently from now on. */
  statusChanged: 'status-changed',
  /** Somebody signed out: the id of the user. */
  sessionEnded: 'session-ended',
} as const;

/** Broadcasts that do not follow an event. They feed the live update streams; a lost one only delays an update in a console. */
export const broadcasts = {
  /** Rows and sums of these users were committed: comma-separated ids. */
  usageLogged: 'usage-logged',
  /** Consumption of these users was booked: comma-separated ids. */
  balanceBooked: 'balance-booked',
  /** The reply of a replica of identity to `GET /api/status` has changed. */
  statusChanged: 'status-changed',
  /** A user signed out: the user's id. */
  sessionEnded: 'session-ended',
} as const;

/** Free of the schema library. `span`: all days of the statement as one. */
export const statementPeriods = ['day', 'week', 'month', 'span'] as const;
export type StatementPeriod = (typeof statementPeriods)[number];

/** What rows are summed by beside the period. */
export const statementKeys = ['none', 'user', 'group', 'channel', 'model'] as const;
export type StatementKey = (typeof statementKeys)[number];

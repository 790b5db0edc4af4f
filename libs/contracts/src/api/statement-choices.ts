/** Free of the schema library. */
export const statementPeriods = ['day', 'week', 'month'] as const;
export type StatementPeriod = (typeof statementPeriods)[number];

/** What rows are summed by beside the period. */
export const statementKeys = ['none', 'user', 'group', 'channel', 'model'] as const;
export type StatementKey = (typeof statementKeys)[number];

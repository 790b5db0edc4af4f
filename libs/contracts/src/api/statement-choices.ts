/**
 * In a file without the schema library, so that the console can import it cheaply. `span` treats all days of the statement as one period.
 */
export const statementPeriods = ['day', 'week', 'month', 'span'] as const;
export type StatementPeriod = (typeof statementPeriods)[number];

/** What rows are grouped by in addition to the period. */
export const statementKeys = ['none', 'user', 'group', 'channel', 'model'] as const;
export type StatementKey = (typeof statementKeys)[number];

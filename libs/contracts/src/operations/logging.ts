import { z } from 'zod';
import { auditEntrySchema, refusedCallsSchema } from '../api/audit.js';
import { logSchema, logStatSchema, quotaDataSchema } from '../api/log.js';
import type { loggingRoutes } from '../routes/logging.js';
import { type OperationDocument, pageOf } from './define-operations.js';

const logs = z.array(logSchema);
const logPage = pageOf(logSchema).extend({ total_is_estimate: z.literal(true).optional() });
const data = z.array(quotaDataSchema);

export const loggingOperations = {
  listLogs: { summary: 'The usage log of everybody, by page.', data: logPage },
  deleteLogs: { summary: 'Delete rows before a time; answers how many.', data: z.int() },
  getLogStat: { summary: 'Totals of the rows that match, and the rate of the last minute.', data: logStatSchema },
  searchLogs: { summary: 'Newest rows that match a word.', data: logs },
  listOwnLogs: { summary: 'The own usage log, by page.', data: logPage },
  getOwnLogStat: { summary: 'Totals of the own rows that match.', data: logStatSchema },
  searchOwnLogs: { summary: 'Newest own rows that match a word.', data: logs },
  listTokenLogs: { summary: 'Newest rows of the token that is sent.', data: logs },
  listRefusedCalls: {
    summary: 'Calls of models that were refused before they cost anything, by minute and reason.',
    data: pageOf(refusedCallsSchema),
  },
  listAudit: { summary: 'Who changed what, newest first.', data: pageOf(auditEntrySchema) },
  listQuotaData: { summary: 'What was spent by model and hour.', data },
  listOwnQuotaData: { summary: 'What the caller spent by model and hour.', data },
} as const satisfies Record<keyof typeof loggingRoutes, OperationDocument>;

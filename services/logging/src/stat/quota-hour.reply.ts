import type { QuotaData } from '@tollgate/contracts/api/log';
import type { QuotaHour } from './quota-hour.entity.js';

export const toQuotaData = (row: QuotaHour): QuotaData => ({
  id: row.id,
  user_id: row.userId,
  username: row.username,
  model_name: row.modelName,
  created_at: row.hour,
  token_used: row.tokenUsed,
  count: row.count,
  quota: row.quota,
});

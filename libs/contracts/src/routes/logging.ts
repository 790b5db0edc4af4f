import { asAdmin, asUser, defineRoutes, open } from './define-routes.js';

export const loggingRoutes = defineRoutes('logging', {
  listLogs: { method: 'GET', path: '/api/log', ...asAdmin },
  deleteLogs: { method: 'DELETE', path: '/api/log', ...asAdmin },
  getLogStat: { method: 'GET', path: '/api/log/stat', ...asAdmin },
  searchLogs: { method: 'GET', path: '/api/log/search', ...asAdmin },
  listOwnLogs: { method: 'GET', path: '/api/log/self', ...asUser },
  getOwnLogStat: { method: 'GET', path: '/api/log/self/stat', ...asUser },
  searchOwnLogs: { method: 'GET', path: '/api/log/self/search', ...asUser },
  listTokenLogs: { method: 'GET', path: '/api/log/token', ...open, auth: 'token', rate: 'api' },
  listRefusedCalls: { method: 'GET', path: '/api/log/refusal', ...asAdmin },
  listAudit: { method: 'GET', path: '/api/audit', ...asAdmin },
  listQuotaData: { method: 'GET', path: '/api/data', ...asAdmin },
  listOwnQuotaData: { method: 'GET', path: '/api/data/self', ...asUser },
});

export { carryEvents } from './carry/carry-events.js';
export { carrySessions } from './carry/carry-sessions.js';
export { type AppliedMigrations, migrateAll } from './migrate/all-schemas.js';
export { exportData, importData, type TransferReport } from './transfer/transfer.js';
export { readTime } from './reconcile/period.js';
export { everythingAbout } from './reconcile/subject.js';
export { reconcile, type ReconcileOptions } from './reconcile/reconcile.js';
export { type BookFault, type ReconcileReport, reportLines } from './reconcile/report.js';

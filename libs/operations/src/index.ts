export { carryEvents } from './carry/carry-events.js';
export { carrySessions } from './carry/carry-sessions.js';
export { type AppliedMigrations, migrateAll } from './migrate/all-schemas.js';
export { exportData, importData, type TransferReport } from './transfer/transfer.js';

export { contractTopics, describeEventLog, type EventLogStand } from './contract-event-log.js';
export { describeKeyValue } from './contract-key-value.js';
export { createDatabase, hasPostgres, type TestDatabase } from './create-database.js';
export { startPostgres, type TestServer } from './start-postgres.js';

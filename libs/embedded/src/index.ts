export { runningEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';

export { runningEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
export { freePort } from './free-port.js';

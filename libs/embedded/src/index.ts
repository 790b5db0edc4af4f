export { runningEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
export { isAlive } from './data-folder-owner.js';
export { freePort } from './free-port.js';

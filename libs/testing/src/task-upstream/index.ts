export { startTaskUpstream, TASK_KEY, type TaskUpstream } from './server.js';

export { startTaskUpstream, TASK_KEY, type TaskCall, type TaskUpstream } from './server.js';

export { type RunningProcess, startProcess } from './process.js';
export { runProcess } from './run-process.js';
export { type RunningService, startService } from './start-service.js';

export { type RunningProcess, startProcess } from './process.js';
export { runProcess } from './run-process.js';

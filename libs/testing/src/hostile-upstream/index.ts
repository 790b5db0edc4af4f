export { type HostileEndpoint, type HostileUpstream, startHostileUpstream } from './server.js';
export * as scenarios from './scenarios.js';
export type { Scenario } from './scenarios.js';
export { say, words } from './speech.js';
export { abortDelay } from './witness.js';

export { type HostileEndpoint, type HostileUpstream, startHostileUpstream } from './server.js';
export * as scenarios from './scenarios.js';
export type { Scenario } from './scenarios.js';
export { say, type Speech, words } from './speech.js';
export { Stage } from './stage.js';
export { abortDelay, type WitnessEntry } from './witness.js';

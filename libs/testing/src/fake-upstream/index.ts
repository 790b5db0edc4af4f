export type { FakeBehaviour } from './behaviour.js';
export type { JournalEntry } from './journal.js';
export { assertionFault, revokeVertexTokens, VERTEX_PROJECT, vertexKey } from './natives/vertex.js';
export { BAD_KEY, startFakeUpstream, type FakeUpstream, type FakeUpstreamOptions } from './server.js';

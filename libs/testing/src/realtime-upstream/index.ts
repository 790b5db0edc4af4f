export { defaultRealtime, type RealtimeBehaviour } from './conversation.js';
export { type RealtimeCall, RealtimeService, type RealtimeUpstream, startRealtimeUpstream } from './server.js';

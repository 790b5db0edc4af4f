export { defaultRealtime, type RealtimeBehaviour, REALTIME_USAGE } from './conversation.js';
export { type RealtimeCall, RealtimeService, type RealtimeUpstream, startRealtimeUpstream } from './server.js';

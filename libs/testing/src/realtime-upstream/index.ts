export { RealtimeService, type RealtimeUpstream, startRealtimeUpstream } from './server.js';

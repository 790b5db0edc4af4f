/**
 * Channel of the broadcast that follows every published event; the message is the event's key. Replicas that cache what the event is about
 * then fetch it from its owner. A lost broadcast is compensated by polling the owner's revision.
 */
export const broadcastChannel = (topic: string): string => `look-again:${topic}`;

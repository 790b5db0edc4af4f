/**
 * Channel of the broadcasts of a topic, most of which follow a published event; the message is the event's key, or a list of ids. Replicas
 * that cache the data then fetch it from its owner. A lost broadcast is compensated by polling the owner's revision.
 */
export const broadcastChannel = (topic: string): string => `look-again:${topic}`;

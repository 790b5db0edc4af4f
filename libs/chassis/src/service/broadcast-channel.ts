/**
 * The broadcast that follows every published event: the message is the event's key. Replicas that hold a copy of what the
 * event is about ask its owner. A lost broadcast is made up for by the poll of the owner's revision.
 */
export const broadcastChannel = (topic: string): string => `look-again:${topic}`;

/**
 * Placeholder for a callback that is not set yet. It is one shared function for performance: V8 moves a function that
 * is created and assigned to a member to the old generation at once, so a new one per request would stay in memory
 * until the next full collection.
 */
export const nothing = (): void => undefined;

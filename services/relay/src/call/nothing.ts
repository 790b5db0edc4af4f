/**
 * What is called until there is something to call. One function for all: V8 makes one old at once that is assigned to a member as it is written,
 * and each would wait for the next full collection.
 */
export const nothing = (): void => undefined;

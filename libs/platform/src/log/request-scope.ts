import { AsyncLocalStorage } from 'node:async_hooks';

/** The request this work is done for. Only its id is looked at, when it is needed: it may become known after the start. */
const scope = new AsyncLocalStorage<{ readonly id: string }>();

export const inRequest = <T>(request: { readonly id: string }, work: () => T): T => scope.run(request, work);

/** Undefined in work that no request asked for: polls, sweeps, events. */
export const currentRequestId = (): string | undefined => scope.getStore()?.id;

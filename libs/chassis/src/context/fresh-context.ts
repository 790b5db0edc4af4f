import { AsyncLocalStorage } from 'node:async_hooks';

/** Runs work in a context captured outside every request, so that it inherits no database session and no request id from its caller. */
export const inFreshContext = AsyncLocalStorage.snapshot();

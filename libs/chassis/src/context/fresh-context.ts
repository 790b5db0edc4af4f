import { AsyncLocalStorage } from 'node:async_hooks';

/** Captured outside every request: work started through it inherits no database session and no request of its caller. */
export const inFreshContext = AsyncLocalStorage.snapshot();

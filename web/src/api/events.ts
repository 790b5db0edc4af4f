import { createAction } from '@reduxjs/toolkit';
import type { ApiError } from './api-error.js';

/**
 * A call was refused with status 401. `sentAs`: id of the user in whose name it was made; `error`: to be shown if the user's session turns
 * out to be valid, unless the call can be made again: `query` is the cache key of a query.
 */
export const sessionRefused = createAction<{ sentAs: number; error?: ApiError; query?: string }>('session/refused');
/** The session of the current user has ended. */
export const sessionExpired = createAction('session/expired');
/** A call failed, and its caller does not show the failure. */
export const apiFailed = createAction<ApiError>('api/failed');
/** The server refuses even `GET /api/user/self`, because the user is disabled. */
export const personRefused = createAction<ApiError>('session/personRefused');
/** The server refused something that the page had offered: the user's rights may have changed. */
export const rightsRefused = createAction('session/rightsRefused');

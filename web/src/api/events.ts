import { createAction } from '@reduxjs/toolkit';
import type { ApiError } from './api-error.js';

/** The server does not accept the session of a call; the payload is the id of the user in whose name it was made. */
export const sessionRefused = createAction<number>('session/refused');
/** The session of the current user has ended. */
export const sessionExpired = createAction('session/expired');
/** A call failed, and its caller does not show the failure. */
export const apiFailed = createAction<ApiError>('api/failed');
/** The server refuses even `GET /api/user/self`, because the user is disabled. */
export const personRefused = createAction<ApiError>('session/personRefused');
/** The server refused something that the page had offered: the user's rights may have changed. */
export const rightsRefused = createAction('session/rightsRefused');

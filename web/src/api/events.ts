import { createAction } from '@reduxjs/toolkit';
import type { ApiError } from './api-error.js';

/** The server does not know the person in whose name a call was made; the payload is their id. */
export const sessionRefused = createAction<number>('session/refused');
/** The session of the person here is over. */
export const sessionExpired = createAction('session/expired');
/** A call failed and nobody has shown it yet. */
export const apiFailed = createAction<ApiError>('api/failed');
/** The server refuses even to say who one is: a ban. */
export const personRefused = createAction<ApiError>('session/personRefused');
/** The server refused what the page had offered: the person's rights may have changed. */
export const rightsRefused = createAction('session/rightsRefused');

import { createAction } from '@reduxjs/toolkit';
import type { ApiError } from './api-error.js';

/** The server no longer knows the stored user. */
export const sessionExpired = createAction('session/expired');
/** A call failed and nobody has shown it yet. */
export const apiFailed = createAction<ApiError>('api/failed');
/** The server refused what the page had offered: the person's rights may have changed. */
export const rightsRefused = createAction('session/rightsRefused');

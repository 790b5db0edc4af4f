import { Refusal } from '../call/refusal.js';

/** The body is not what it should be, or ended early. */
export const invalidBody = (detail: string): Refusal =>
  new Refusal(400, `Invalid request, 无效的请求, ${detail}`, 'invalid_request');

export const bodyTooLarge = (): Refusal => new Refusal(413, '请求体过大', 'body_too_large');

/** No byte came for too long. */
export const bodyTooSlow = (): Refusal => new Refusal(408, '请求体接收超时', 'body_timeout');

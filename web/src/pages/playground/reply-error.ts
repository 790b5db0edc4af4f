import { isObject } from '../../api/is-object.js';
import { ChatError } from './chat-error.js';

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);

/**
 * Reads an error in either form: `{ error: { message, code, type } }` of the relay or `{ success: false, message }` of
 * the console API.
 */
export function errorOf(value: unknown, otherwise: string, status: number, requestId: string | undefined): ChatError {
  const error = isObject(value) && isObject(value.error) ? value.error : value;
  const { message, code, type } = isObject(error) ? error : {};
  return new ChatError(textIn(message) ?? otherwise, status, { requestId, code: textIn(code), type: textIn(type) });
}

/** The error of a refused reply. */
export async function refusedBy(reply: Response): Promise<ChatError> {
  const requestId = reply.headers.get('X-Oneapi-Request-Id') ?? undefined;
  return errorOf(parse(await reply.text()), `HTTP ${reply.status}`, reply.status, requestId);
}

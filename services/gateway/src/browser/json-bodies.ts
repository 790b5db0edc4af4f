import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Console bodies are JSON, whatever content type the client sends. A content type without a body is removed, because
 * the parser would report an empty body as invalid.
 */
export function labelJsonBody({ headers }: IncomingMessage): void {
  if (!hasBody(headers)) delete headers['content-type'];
  else if (!/^(application\/json|multipart\/)/i.test(headers['content-type'] ?? '')) {
    headers['content-type'] = 'application/json';
  }
}

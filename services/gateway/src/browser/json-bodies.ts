import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Every documented console body is JSON, whatever its label; a label without a body would read as a broken one. */
export function labelJsonBody({ headers }: IncomingMessage): void {
  if (!hasBody(headers)) delete headers['content-type'];
  else if (!/^(application\/json|multipart\/)/i.test(headers['content-type'] ?? '')) {
    headers['content-type'] = 'application/json';
  }
}

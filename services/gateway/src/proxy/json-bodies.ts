import type { IncomingMessage } from 'node:http';

/** Every documented console body is JSON, whatever its label; a label without a body would read as a broken one. */
export function labelJsonBody({ headers }: IncomingMessage): void {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) delete headers['content-type'];
  else if (!/^(application\/json|multipart\/)/i.test(headers['content-type'] ?? '')) {
    headers['content-type'] = 'application/json';
  }
}

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { v7 } from 'uuid';

interface Refusal {
  status: number;
  code: string;
  message: string;
}

const byCode: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'headers-too-large', message: '请求头过大' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'request-too-slow', message: '请求发送超时' },
};
const unreadable: Refusal = { status: 400, code: 'unreadable-request', message: '请求格式错误' };

/**
 * Refuses what is no HTTP request that the server can read. Its path is not known, so the body is for clients of every
 * kind: the envelope of the management calls with the `error` of the model calls.
 */
export function refuseUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  // The client has left, or the connection broke.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, code, message } = byCode[error.code ?? ''] ?? unreadable;
  const body = JSON.stringify({
    ...{ success: false, message, code, kind: 'invalid' },
    error: { message, type: 'invalid_request_error', param: '', code },
  });
  if (socket.writable)
    socket.write(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Oneapi-Request-Id: ${v7()}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  socket.destroy(error);
}

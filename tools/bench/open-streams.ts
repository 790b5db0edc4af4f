/**
 * Child process that holds many slow streams open: it opens them all, reads what arrives, reports its counts to its
 * parent, and exits when the parent disconnects.
 */
import { connect, type Socket } from 'node:net';
import { CHAT_PATH, requestBody } from './payload.js';

interface StreamsOrder {
  port: number;
  key: string;
  count: number;
}

export interface StreamCounts {
  /** Streams that have received their first chunk. */
  open: number;
  /** Connections that closed before the parent asked for it. */
  lost: number;
  /** Socket reads since the start. */
  chunks: number;
}

/** Connections are opened in waves, because a server's queue of pending connections is limited. */
const WAVE = 50;
const WAVE_MS = 50;
const REPORT_MS = 200;

const counts: StreamCounts = { open: 0, lost: 0, chunks: 0 };

function openOne({ port, key }: StreamsOrder): Socket {
  const body = requestBody('slow');
  const head = [
    `POST ${CHAT_PATH} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ].join('\r\n');
  const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n${body.toString()}`));
  let isOpen = false;
  socket.on('data', (bytes) => {
    counts.chunks += 1;
    if (isOpen || !bytes.includes('data: {')) return;
    isOpen = true;
    counts.open += 1;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => (counts.lost += 1));
  return socket;
}

process.on('message', (order: StreamsOrder) => {
  let left = order.count;
  const timer = setInterval(() => {
    for (let at = 0; at < WAVE && left > 0; at += 1, left -= 1) openOne(order);
    if (left === 0) clearInterval(timer);
  }, WAVE_MS);
  setInterval(() => process.send?.(counts), REPORT_MS);
});
process.once('disconnect', () => process.exit(0));

/**
 * The provider of the measurements, with as little work as node:http allows. All open streams get their next chunk in
 * one turn per millisecond, so that every proxy under test reads each chunk separately, whatever its speed.
 */
import { createServer, type ServerResponse } from 'node:http';
import {
  BURST_MODEL,
  burstWrites,
  IMAGES_PATH,
  imagesReply,
  jsonReply,
  SLOW_CHUNK_MS,
  SLOW_MODEL,
  streamWrites,
} from './payload.js';
import { reportPort } from './report-port.js';

const TICK_MS = 1;
const STREAM = Buffer.from('"stream":true');
const BURST = Buffer.from(`"${BURST_MODEL}"`);
const SLOW = Buffer.from(`"${SLOW_MODEL}"`);

interface Stream {
  writes: readonly Buffer[];
  next: number;
}

const open = new Map<ServerResponse, Stream>();
const slow = new Set<ServerResponse>();

function tick(): void {
  for (const [response, stream] of open) {
    response.write(stream.writes[stream.next]);
    stream.next += 1;
    if (stream.next < stream.writes.length) continue;
    open.delete(response);
    response.end();
  }
}

setInterval(tick, TICK_MS);
setInterval(() => {
  for (const response of slow) response.write(streamWrites[0]);
}, SLOW_CHUNK_MS);

function answerWhole(reply: Buffer, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': reply.length });
  response.end(reply);
}

function answer(body: Buffer, response: ServerResponse): void {
  if (!body.includes(STREAM)) return answerWhole(jsonReply, response);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (body.includes(SLOW)) {
    response.write(streamWrites[0]);
    slow.add(response);
    response.once('close', () => slow.delete(response));
    return;
  }
  const writes = body.includes(BURST) ? burstWrites : streamWrites;
  response.write(writes[0]);
  open.set(response, { writes, next: 1 });
  response.once('close', () => open.delete(response));
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    if (request.url === IMAGES_PATH) return answerWhole(imagesReply, response);
    answer(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts), response);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => reportPort(server));

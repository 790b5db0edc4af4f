import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { Conversation, defaultRealtime, type RealtimeBehaviour } from './conversation.js';

/** A handshake and the frames that followed it. */
interface RealtimeCall {
  url: string;
  headers: IncomingHttpHeaders;
  /** All frames of the client, in order. */
  frames: Buffer[];
  /** Close code of the session; undefined while it is open. */
  closed: number | undefined;
}

export interface RealtimeUpstream {
  url: string;
  calls: RealtimeCall[];
  /** Sets the behaviour from now on. */
  behave(behaviour: Partial<RealtimeBehaviour>): void;
  /** Refuses the next handshake with an error in OpenAI's format; −1 leaves it without any answer. */
  refuseNext(status: number): void;
  /** Sends data unchanged to every open session. */
  say(data: string | Buffer): void;
  close(): Promise<void>;
}

const REFUSALS: Record<number, { type: string; code: string; message: string }> = {
  401: {
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    message: 'Incorrect API key provided: sk-upstream-0123456789. See https://platform.fake-upstream.com/keys',
  },
  429: { type: 'requests', code: 'rate_limit_exceeded', message: 'Too many sessions' },
};

/** The realtime API of OpenAI, controlled by a test. */
export class RealtimeService {
  readonly calls: RealtimeCall[] = [];
  private readonly sockets = new Set<WebSocket>();
  private readonly sessions = new WebSocketServer({ noServer: true, handleProtocols: () => 'realtime' });
  private behaviour = defaultRealtime;
  private refusal: number | undefined;

  behave(behaviour: Partial<RealtimeBehaviour>): void {
    this.behaviour = { ...defaultRealtime, ...behaviour };
  }

  refuseNext(status: number): void {
    this.refusal = status;
  }

  say(data: string | Buffer): void {
    for (const socket of this.sockets) socket.send(data);
  }

  /** Handles the web socket handshakes of a server for which `isOwn` returns true. */
  attach(server: Server, isOwn: (request: IncomingMessage) => boolean = () => true): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!isOwn(request)) return;
      const { refusal } = this;
      this.refusal = undefined;
      socket.on('error', () => socket.destroy());
      if (refusal !== undefined) return refuse(socket, refusal);
      this.sessions.handleUpgrade(request, socket, head, (session) => this.open(session, request));
    });
  }

  close(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  private open(socket: WebSocket, { url = '', headers }: IncomingMessage): void {
    const call: RealtimeCall = { url, headers, frames: [], closed: undefined };
    this.calls.push(call);
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', (code) => {
      this.sockets.delete(socket);
      call.closed = code;
    });
    const query = new URL(url, 'http://localhost').searchParams;
    const model = query.get('model') ?? query.get('deployment') ?? '';
    const conversation = new Conversation(socket, model, () => this.behaviour);
    socket.on('message', (data: Buffer) => {
      call.frames.push(data);
      void conversation.hear(data.toString('utf8'));
    });
    conversation.begin();
  }
}

function refuse(socket: Duplex, status: number): void {
  if (status === -1) return;
  const error = REFUSALS[status] ?? { type: 'server_error', code: 'server_error', message: 'come again' };
  const body = JSON.stringify({ error: { ...error, param: null } });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Starts a provider of realtime sessions in the dialect of OpenAI and Azure. */
export async function startRealtimeUpstream(): Promise<RealtimeUpstream> {
  const service = new RealtimeService();
  const server = createServer((_request, response) => void response.writeHead(404).end());
  service.attach(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: service.calls,
    behave: (behaviour) => service.behave(behaviour),
    refuseNext: (status) => service.refuseNext(status),
    say: (data) => service.say(data),
    close: () =>
      new Promise((resolve) => {
        service.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

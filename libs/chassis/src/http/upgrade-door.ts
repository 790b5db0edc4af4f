import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A connection whose client requests a protocol other than HTTP. */
export interface Upgrade {
  request: IncomingMessage;
  /** Serves to refuse, which also ends the connection; unused once the protocol has changed. */
  response: ServerResponse;
  socket: Duplex;
  /** Bytes that followed the request's head. */
  head: Buffer;
}

/** Takes over connections that switch from HTTP to another protocol. */
export interface UpgradeDoor {
  /** Whether it takes over this connection; for all others the upgrade request is ignored and answered in HTTP. */
  takes(request: IncomingMessage): boolean;
  open(upgrade: Upgrade): void;
}

const doors = new WeakMap<Server, UpgradeDoor>();

/** `server` is the application's HTTP server, listening or not. */
export const putUpgradeDoor = (server: Server, door: UpgradeDoor): void => void doors.set(server, door);

export const upgradeDoorOf = (server: Server): UpgradeDoor | undefined => doors.get(server);

/** Whether the client requests a WebSocket. */
export const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/** A response for a request whose connection Node has already detached from HTTP. */
export function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  // Node's type demands a socket, but the method only needs a writable stream.
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.once('finish', () => void socket.end());
  return response;
}

const switched = new WeakSet<ServerResponse>();
const SWITCHED = 'protocol-switched';

/** Call this when the other protocol begins: the HTTP request is then over. */
export function noteSwitched(response: ServerResponse): void {
  switched.add(response);
  if (response.socket) response.detachSocket(response.socket);
  response.emit(SWITCHED);
}

export const hasSwitched = (response: ServerResponse): boolean => switched.has(response);

/** Calls `over` once, when the answer has been sent or the protocol has changed. */
export function whenOver(response: ServerResponse, over: () => void): void {
  let isOver = false;
  const end = (): void => {
    if (!isOver) over();
    isOver = true;
  };
  // The listeners end with the response; `once` would allocate a wrapper for each.
  response.on('close', end);
  response.on(SWITCHED, end);
}

import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A connection whose client asks to speak something else than HTTP on it. */
export interface Upgrade {
  request: IncomingMessage;
  /** For a refusal, which also ends the connection; unused once the protocol has changed. */
  response: ServerResponse;
  socket: Duplex;
  /** What came behind the head of the request. */
  head: Buffer;
}

/** Takes over connections that leave HTTP. */
export interface UpgradeDoor {
  /** All others are answered as if they had not asked. */
  takes(request: IncomingMessage): boolean;
  open(upgrade: Upgrade): void;
}

const doors = new WeakMap<Server, UpgradeDoor>();

/** `server` is that of the application, listening or not. */
export const putUpgradeDoor = (server: Server, door: UpgradeDoor): void => void doors.set(server, door);

export const upgradeDoorOf = (server: Server): UpgradeDoor | undefined => doors.get(server);

/** Whether the client asks for a web socket. */
export const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/** An answer to a request whose connection Node has let go. */
export function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  // What Node asks for is a stream that is written to.
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.once('finish', () => void socket.end());
  return response;
}

const switched = new WeakSet<ServerResponse>();
const SWITCHED = 'protocol-switched';

/** To be called when the other protocol begins: for HTTP the request is over. */
export function noteSwitched(response: ServerResponse): void {
  switched.add(response);
  if (response.socket) response.detachSocket(response.socket);
  response.emit(SWITCHED);
}

export const hasSwitched = (response: ServerResponse): boolean => switched.has(response);

/** Calls `over` once, when the answer is out or the protocol has changed. */
export function whenOver(response: ServerResponse, over: () => void): void {
  let isOver = false;
  const once = (): void => {
    if (!isOver) over();
    isOver = true;
  };
  response.once('close', once);
  response.once(SWITCHED, once);
}

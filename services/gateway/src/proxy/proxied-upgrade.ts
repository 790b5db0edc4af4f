import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { neverConnected, noteSwitched, type Replica, type Upgrade } from '@tollgate/chassis';
import type { Dispatcher } from 'undici';
import { INTERNAL_HEADERS, passHeaders } from './pass-headers.js';

interface ProxiedUpgradeParts {
  upgrade: Upgrade;
  headers: OutgoingHttpHeaders;
  /** In the order in which they are tried. */
  replicas: Replica[];
  onUnreachable(replica: Replica, error: unknown): void;
  /** No reply has arrived, and no replica is left to try. */
  onFailure(error: unknown): void;
}

/** The reply of a replica that is stopping and takes no new sessions; the next replica is tried. */
const UNAVAILABLE = 503;

/**
 * Passes a protocol upgrade (WebSocket) to another process. After the handshake, bytes are copied in both directions.
 */
export class ProxiedUpgrade implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private replica: Replica | undefined;
  private hasLeft = false;
  private isSkipped = false;
  private isAnswered = false;

  constructor(private readonly parts: ProxiedUpgradeParts) {}

  begin(): void {
    this.parts.upgrade.socket.once('close', () => {
      this.hasLeft = true;
      this.controller?.abort(new Error('the client left'));
    });
    this.next(new Error('no replica is known'));
  }

  private next(failure: unknown): void {
    const { upgrade, headers, replicas, onFailure } = this.parts;
    this.replica = replicas.shift();
    this.isSkipped = false;
    if (!this.replica) return onFailure(failure);
    const { url: path = '/' } = upgrade.request;
    this.replica.pool.dispatch(
      { path, method: 'GET', headers: headers as IncomingHttpHeaders, upgrade: 'websocket' },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.hasLeft) controller.abort(new Error('the client left'));
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
    owner: Duplex,
  ): void {
    const { socket, head, response } = this.parts.upgrade;
    this.controller = undefined;
    this.isAnswered = true;
    if (this.hasLeft) return void owner.destroy();
    noteSwitched(response);
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one) => `${name}: ${one}`),
    );
    socket.write([`HTTP/1.1 ${statusCode} Switching Protocols`, ...lines, '', ''].join('\r\n'));
    owner.on('error', () => owner.destroy());
    if (head.length > 0) owner.write(head);
    owner.pipe(socket);
    socket.pipe(owner);
    socket.once('close', () => owner.destroy());
    owner.once('close', () => void socket.end());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return;
    this.isSkipped = statusCode === UNAVAILABLE && this.parts.replicas.length > 0;
    if (this.isSkipped) return;
    this.isAnswered = true;
    this.parts.upgrade.response.writeHead(statusCode, passHeaders(headers, INTERNAL_HEADERS));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // Without back-pressure, since the body of a refusal is short.
    if (!this.isSkipped) this.parts.upgrade.response.write(chunk);
  }

  onResponseEnd(): void {
    if (this.isSkipped) this.next(new Error('no replica takes a session'));
    else this.parts.upgrade.response.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { upgrade, onUnreachable, onFailure } = this.parts;
    if (this.hasLeft) return;
    if (this.isAnswered) upgrade.response.destroy();
    else if (this.replica && neverConnected(error)) {
      onUnreachable(this.replica, error);
      this.next(error);
    } else onFailure(error);
  }
}

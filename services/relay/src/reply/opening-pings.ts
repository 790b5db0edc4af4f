import { Injectable } from '@nestjs/common';
import { OptionStore } from '@tollgate/chassis';
import { writePiece } from '../call/pieces.js';
import type { RelayCall } from '../call/relay-call.js';
import { writeStreamHead } from './reply-headers.js';

/** A comment of server-sent events, which clients skip. */
const PING = Buffer.from(': PING\n\n');

/**
 * Lets the client of a stream that is silent before its first byte know that it is still there: after one interval the head, and a comment
 * every interval. Nothing of an answer is sent by it, so other channels are still tried; a final failure is then an error event.
 */
@Injectable()
export class OpeningPings {
  private readonly timers = new WeakMap<RelayCall, NodeJS.Timeout>();

  constructor(private readonly options: OptionStore) {}

  start(call: RelayCall): void {
    // An array has no comments.
    if (!call.isStream || call.isJsonArray || !this.options.get('general_setting.ping_interval_enabled')) return;
    const everyMs = this.options.get('general_setting.ping_interval_seconds') * 1000;
    this.timers.set(
      call,
      setInterval(() => this.ping(call), everyMs),
    );
  }

  /** The answer begins, or there will be none. */
  stop(call: RelayCall): void {
    clearInterval(this.timers.get(call));
  }

  private ping(call: RelayCall): void {
    const { response } = call;
    if (response.destroyed || response.writableEnded) return this.stop(call);
    if (!response.headersSent) writeStreamHead(call, {});
    if (!response.writableNeedDrain) writePiece(response, PING);
  }
}

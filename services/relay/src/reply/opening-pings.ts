import { Injectable } from '@nestjs/common';
import { OptionStore } from '@tollgate/chassis';
import { writePiece } from '../call/pieces.js';
import type { RelayCall } from '../call/relay-call.js';
import { pingFor } from './ping.js';
import { writeStreamHead } from './reply-headers.js';

/**
 * Keeps the connection of a streaming client alive while no channel has answered: sends the head and a ping after
 * one interval, then a ping every interval. No part of an answer is sent, so other channels can still be tried; a
 * final failure is then sent as an error event.
 */
@Injectable()
export class OpeningPings {
  private readonly timers = new WeakMap<RelayCall, NodeJS.Timeout>();

  constructor(private readonly options: OptionStore) {}

  start(call: RelayCall): void {
    // A JSON array cannot contain comments.
    if (!call.isStream || call.isJsonArray || !this.options.get('general_setting.ping_interval_enabled')) return;
    const everyMs = this.options.get('general_setting.ping_interval_seconds') * 1000;
    this.timers.set(
      call,
      setInterval(() => this.ping(call), everyMs),
    );
  }

  /** Stops the pings: the answer begins, or there will be none. */
  stop(call: RelayCall): void {
    clearInterval(this.timers.get(call));
  }

  private ping(call: RelayCall): void {
    const { response } = call;
    if (response.destroyed || response.writableEnded) return this.stop(call);
    if (!response.headersSent) writeStreamHead(call, {});
    if (!response.writableNeedDrain) writePiece(response, pingFor(call.dialect));
  }
}

import { Injectable } from '@nestjs/common';
import { noteRefusedCalls, type RefusedRow } from '@tollgate/contracts';
import { InternalClient, Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { v7 } from 'uuid';
import { RouteTable } from '../routing/route-table.js';
import { type RefusedCall, RefusedCounts } from './refused-counts.js';

const SEND_MS = 2000;
/** Replaces every model name that no channel has, so that invented names do not create rows. */
const UNKNOWN_MODEL = '?';

/**
 * Reports refused calls to logging, so that administrators can see the reasons. These are traces without any bearing on
 * money; a process that dies loses a few seconds of them.
 */
@Injectable()
export class RefusedCalls {
  private readonly counts = new RefusedCounts();
  /** A batch is sent again unchanged until it was acknowledged. */
  private batch: { batchId: string; rows: RefusedRow[] } | undefined;

  constructor(
    private readonly internal: InternalClient,
    private readonly routeTable: RouteTable,
    lifecycle: Lifecycle,
    logger: Logger,
  ) {
    periodically({ lifecycle, logger }, 'word of refused calls', SEND_MS, () => this.send());
    lifecycle.onDrain(() => this.send().catch(() => undefined));
  }

  note(call: RefusedCall): void {
    const isKnown = call.model === '' || this.routeTable.knows(call.model);
    this.counts.add(isKnown ? call : { ...call, model: UNKNOWN_MODEL });
  }

  private async send(): Promise<void> {
    if (!this.batch && this.counts.size > 0) this.batch = { batchId: v7(), rows: this.counts.take() };
    if (!this.batch) return;
    await this.internal.call(noteRefusedCalls, this.batch);
    this.batch = undefined;
  }
}

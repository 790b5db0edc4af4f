import { Injectable } from '@nestjs/common';
import { noteRefusedCalls, type RefusedRow } from '@tollgate/contracts';
import { InternalClient, Lifecycle, Logger, periodically } from '@tollgate/chassis';
import { v7 } from 'uuid';
import { RouteTable } from '../routing/route-table.js';
import { type RefusedCall, RefusedCounts } from './refused-counts.js';

const SEND_MS = 2000;
/** Stands for every name that no channel has: whoever makes names up gets no row for each. */
const UNKNOWN_MODEL = '?';

/** Tells logging what was refused, so that an administrator can see why. It is a trace and no account: a process that dies loses seconds of it. */
@Injectable()
export class RefusedCalls {
  private readonly counts = new RefusedCounts();
  /** Sent again as it is until it arrived. */
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

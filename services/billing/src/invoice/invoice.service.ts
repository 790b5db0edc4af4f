import { createHash } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction, listDoubtfulRequests, sumChannelUsage } from '@tollgate/contracts';
import type { importInvoiceSchema, InvoiceRequests, InvoiceResult } from '@tollgate/contracts/api/invoice';
import { AppError, Clock, InternalClient } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import type { z } from 'zod';
import { KnownChannels } from '../cost/known-channels.js';
import { channelDays } from './channel-days.js';
import { formatOf } from './formats.js';
import { InvoiceStore, type StoredInvoice } from './invoice.store.js';
import { matchInvoice, totalsOf } from './match.js';
import { modelKey } from './model-key.js';
import { readInvoice } from './read-invoice.js';

type Input = z.output<typeof importInvoiceSchema>;

const SHOWN_REQUESTS = 200;

/** Compares providers' invoices with the usage that upstreams reported and with what was booked. */
@Injectable()
export class InvoiceService {
  constructor(
    private readonly em: EntityManager,
    private readonly store: InvoiceStore,
    private readonly internal: InternalClient,
    private readonly channels: KnownChannels,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the sums of a file by day and model. Throws the faults of the file, `channels-unknown`, and `invoice-known`
   * for a file that gave the same sums before.
   */
  async import({ name, format, columns, channel_ids: wanted, csv }: Input, importedBy: number): Promise<StoredInvoice> {
    const reader = formatOf(format, columns);
    const read = await readInvoice(csv, reader);
    await this.channels.requireKnown(wanted);
    const digests = { digest: digestOf(csv), textDigest: digestOf(sameText(csv)) };
    const channels = [...new Set(wanted)].sort((one, other) => one - other);
    const id = await this.em.transactional(async () => {
      await this.store.lock();
      const about = { name, format, channel_ids: channels };
      const invoice = {
        ...{ ...about, ...digests, ...read, zone: reader.zone as StoredInvoice['zone'] },
        ...{ imported_by: importedBy, importedAt: new Date(this.clock.now()) },
      };
      const { id: added, linesDigest } = await this.store.add(invoice);
      const same = await this.store.findSame({ ...invoice, id: added, linesDigest });
      if (same !== undefined)
        throw new AppError('conflict', 'invoice-known', `该文件已作为发票 #${same} 导入`, { params: { id: same } });
      const span = { first_day: read.firstDay, last_day: read.lastDay, rows: read.rows };
      const after = { ...about, digest: digests.digest, ...span, lines_digest: linesDigest };
      const subject = `invoice:${added}`;
      await this.outbox.add(adminAction, { actorId: importedBy, action: 'invoice-import', subject, after });
      return added;
    });
    return this.store.find(id);
  }

  /** Computed on each call, since rows may arrive late in the usage log and the journal. */
  async result(id: number): Promise<InvoiceResult> {
    const invoice = await this.store.find(id);
    const { sums, isComplete } = await this.usageOf(invoice);
    const matches = matchInvoice(await this.store.linesOf(id), sums, await this.journalOf(invoice));
    return { invoice, complete: isComplete, matches, totals: totalsOf(matches) };
  }

  /** The requests of a day and model that the provider may have counted differently. */
  async requests(id: number, { day, model }: { day: string; model: string }): Promise<InvoiceRequests> {
    const invoice = await this.store.find(id);
    const { channel_ids: channelIds, zone } = invoice;
    const { sums } = await this.usageOf({ ...invoice, first_day: day, last_day: day });
    const models = [...new Set(sums.map(({ sent }) => sent).filter((sent) => modelKey(sent) === model))];
    // Where no usage was logged under this name, a failed or retried request may still have reached the model.
    const wanted = { channelIds, day, zone, models: models.length > 0 ? models : [model], limit: SHOWN_REQUESTS };
    const { requests, total, isComplete } = await this.internal.call(listDoubtfulRequests, wanted);
    return { items: requests, total, complete: isComplete };
  }

  private usageOf({ channel_ids: channelIds, first_day: firstDay, last_day: lastDay, zone }: StoredInvoice) {
    return this.internal.call(sumChannelUsage, { channelIds, firstDay, lastDay, zone });
  }

  private journalOf({ channel_ids: channelIds, first_day: firstDay, last_day: lastDay, zone }: StoredInvoice) {
    return channelDays(this.em, { channelIds, firstDay, lastDay, zone });
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The text without differences that saving with another program makes: byte order mark, line endings, and blank lines
 * at the end.
 */
const sameText = (csv: string): string =>
  `${csv
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
    .replace(/\n+$/, '')}\n`;

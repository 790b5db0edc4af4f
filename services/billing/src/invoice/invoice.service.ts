import { createHash } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction, listDoubtfulRequests, sumChannelUsage } from '@tollgate/contracts';
import type { importInvoiceSchema, InvoiceRequests, InvoiceResult } from '@tollgate/contracts/api/invoice';
import { AppError, Clock, InternalClient, leastIdAt } from '@tollgate/chassis';
import { bound, Outbox } from '@tollgate/database';
import type { z } from 'zod';
import { units } from '../units.js';
import { formatOf } from './formats.js';
import { InvoiceStore, type StoredInvoice } from './invoice.store.js';
import { type JournalSum, matchInvoice } from './match.js';
import { modelKey } from './model-key.js';
import { readInvoice } from './read-invoice.js';

type Input = z.output<typeof importInvoiceSchema>;

const SHOWN_REQUESTS = 200;
const DAY_MS = 86_400_000;

const admitted = `to_timestamp(('x' || translate(left("id"::text, 13), '-', ''))::bit(48)::bigint / 1000.0) at time zone $1`;
const journalSums = `select to_char(${admitted}, 'YYYY-MM-DD') as "day", "channel_id" as "channelId", "model", count(*) as "requests", sum("amount") as "sales",
    coalesce(sum("cost"), 0) as "cost", count("cost") as "costed"
  from "posting" where "code" = 'consumption' and "reason" is distinct from 'failed' and "id" >= $2::uuid and "id" < $3::uuid
    and "channel_id" = any($4::int[]) and (${admitted})::date between $5::date and $6::date
  group by 1, 2, 3`;

/** Invoices of providers, beside what the upstream reported and what was booked. */
@Injectable()
export class InvoiceService {
  constructor(
    private readonly em: EntityManager,
    private readonly store: InvoiceStore,
    private readonly internal: InternalClient,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Keeps the sums of a file by day and model. Throws what is wrong with the file, and `invoice-known` for one that is there already. */
  async import({ name, format, columns, channel_ids: wanted, csv }: Input, importedBy: number): Promise<StoredInvoice> {
    const reader = formatOf(format, columns);
    const read = readInvoice(csv, reader);
    const digest = createHash('sha256').update(csv).digest('hex');
    const channels = [...new Set(wanted)].sort((one, other) => one - other);
    const id = await this.em.transactional(async () => {
      const same = await this.store.findSame(digest, channels);
      if (same !== undefined)
        throw new AppError('conflict', 'invoice-known', `该文件已作为发票 #${same} 导入`, { params: { id: same } });
      const about = { name, format, channel_ids: channels, digest };
      const added = await this.store.add({
        ...{ ...about, ...read, zone: reader.zone as StoredInvoice['zone'] },
        ...{ imported_by: importedBy, importedAt: new Date(this.clock.now()) },
      });
      const after = { ...about, first_day: read.firstDay, last_day: read.lastDay, rows: read.rows };
      const subject = `invoice:${added}`;
      await this.outbox.add(adminAction, { actorId: importedBy, action: 'invoice-import', subject, after });
      return added;
    });
    return this.store.find(id);
  }

  /** Worked out anew for each look: the usage log and the journal may have got late rows. */
  async result(id: number): Promise<InvoiceResult> {
    const invoice = await this.store.find(id);
    const { sums, isComplete } = await this.usageOf(invoice);
    const matches = matchInvoice(await this.store.linesOf(id), sums, await this.journalOf(invoice));
    return { invoice, complete: isComplete, matches };
  }

  /** Which requests of a day and model the provider may have counted otherwise. */
  async requests(id: number, { day, model }: { day: string; model: string }): Promise<InvoiceRequests> {
    const invoice = await this.store.find(id);
    const { channel_ids: channelIds, zone } = invoice;
    const { sums } = await this.usageOf({ ...invoice, first_day: day, last_day: day });
    const models = [...new Set(sums.map(({ sent }) => sent).filter((sent) => modelKey(sent) === model))];
    // Where nothing was booked under the name, a failed or retried request may still have reached it.
    const wanted = { channelIds, day, zone, models: models.length > 0 ? models : [model], limit: SHOWN_REQUESTS };
    const { requests, total } = await this.internal.call(listDoubtfulRequests, wanted);
    return { items: requests, total };
  }

  private usageOf({ channel_ids: channelIds, first_day: firstDay, last_day: lastDay, zone }: StoredInvoice) {
    return this.internal.call(sumChannelUsage, { channelIds, firstDay, lastDay, zone });
  }

  private async journalOf({ channel_ids: channels, first_day: first, last_day: last, zone }: StoredInvoice) {
    const from = leastIdAt(Date.parse(first) - DAY_MS);
    const to = leastIdAt(Date.parse(last) + 2 * DAY_MS);
    const rows = await bound<Record<keyof JournalSum, string>>(this.em, journalSums, [
      ...[zone, from, to, channels],
      ...[first, last],
    ]);
    return rows.map(({ channelId, day, model, requests, sales, cost, costed }): JournalSum => ({
      ...{ channelId: Number(channelId), day, model },
      ...{ requests: units(requests), sales: units(sales), cost: units(cost), costed: units(costed) },
    }));
  }
}

import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type PriceDocument, priceDocumentSchema, pricePublished } from '@tollgate/contracts';
import { ReadModels, KeyValue, Lifecycle, broadcastChannel, OptionStore, storableJson } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { LRUCache } from 'lru-cache';
import { ChangeRevisions } from '../revision/change-revisions.js';
import { units } from '../units.js';
import { priceDocumentOf } from './price-document.js';

interface Publication {
  revision: number;
  document: PriceDocument | null;
}

const KEPT_VERSIONS = 50;
const exactly = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const insertPublication = `with "added" as (
    insert into "price_publication" ("revision", "price_version", "option_revision") values (?, ?, ?) returning "published_at"
  ) select ${exactly('a."published_at"')} as "publishedAt", ${exactly('v."created_at"')} as "mintedAt" from "added" a join "price_version" v on v."id" = ?`;

/** Creates and finds price versions. A version never changes; its publication states from when on it is in force. */
@Injectable()
export class PriceService {
  private readonly versions = new LRUCache<string, PriceDocument>({ max: KEPT_VERSIONS });

  /** Revision of the options for which the current prices were last confirmed. */
  private optionRevision = -1;

  constructor(
    private readonly em: EntityManager,
    private readonly options: OptionStore,
    private readonly revisions: ChangeRevisions,
    private readonly outbox: Outbox,
    private readonly keyValue: KeyValue,
    readModels: ReadModels,
    lifecycle: Lifecycle,
  ) {
    readModels.add({ name: 'option', revision: () => this.optionRevision, catchUp: () => this.catchUp() });
    lifecycle.onReady(() => RequestContext.create(em, () => this.publish()));
  }

  /**
   * Publishes the prices of the current options, unless they are in force already or another replica has published from
   * newer options. The first start publishes the defaults.
   */
  async publish(): Promise<void> {
    await this.options.refresh();
    const document = priceDocumentOf(this.options);
    const optionRevision = Math.max(0, this.options.revision);
    const published = await this.em.transactional(async () => {
      // Incrementing the revision locks its row, so two replicas publish one after the other.
      const revision = await this.revisions.next('price');
      const current = await this.currentRow();
      if (current && current.optionRevision > optionRevision) return false;
      if (current?.priceVersion === document.id) {
        await this.confirm(current.revision, optionRevision);
        return false;
      }
      const { id, ...tables } = document;
      await this.em.execute(
        `insert into "price_version" ("id", "document") values (?, ?::jsonb) on conflict ("id") do nothing`,
        [id, storableJson(tables)],
        'run',
      );
      const [times] = await this.em.execute<{ publishedAt: string; mintedAt: string }[]>(insertPublication, [
        ...[revision, id, optionRevision, id],
      ]);
      await this.outbox.add(pricePublished, { priceVersion: id, revision, ...times });
      return true;
    });
    this.optionRevision = Math.max(this.optionRevision, optionRevision);
    // Sent before the event's own broadcast, because a model may be called right after its price was saved.
    if (published) await this.keyValue.publish(broadcastChannel(pricePublished.name), document.id);
  }

  /** Publishes the prices of newer options, unless another replica has. */
  private async catchUp(): Promise<void> {
    const row = await this.currentRow();
    if (!row || row.optionRevision < this.options.revision) await this.publish();
    else this.optionRevision = row.optionRevision;
  }

  /** The version in force. */
  async current(): Promise<Publication> {
    const row = await this.currentRow();
    return row
      ? { revision: row.revision, document: (await this.find(row.priceVersion)) ?? null }
      : { revision: 0, document: null };
  }

  /** Any version that was ever in force. */
  async find(id: string): Promise<PriceDocument | undefined> {
    const known = this.versions.get(id);
    if (known) return known;
    const [row] = await this.em.execute<{ document: object }[]>(
      `select "document" from "price_version" where "id" = ?`,
      [id],
    );
    if (!row) return undefined;
    const document = priceDocumentSchema.parse({ ...row.document, id });
    this.versions.set(id, document);
    return document;
  }

  /** 0 before the first publication. */
  async revision(): Promise<number> {
    return (await this.currentRow())?.revision ?? 0;
  }

  /** Notes that newer options give the same prices, so that no older options can be published after them. */
  private async confirm(revision: number, optionRevision: number): Promise<void> {
    await this.em.execute(
      `update "price_publication" set "option_revision" = ? where "revision" = ?`,
      [optionRevision, revision],
      'run',
    );
  }

  private async currentRow(): Promise<{ revision: number; priceVersion: string; optionRevision: number } | undefined> {
    const [row] = await this.em.execute<Record<string, unknown>[]>(
      `select "revision", "price_version", "option_revision" from "price_publication" order by "revision" desc limit 1`,
    );
    if (!row) return undefined;
    return {
      revision: units(row['revision']),
      priceVersion: String(row['price_version']),
      optionRevision: units(row['option_revision']),
    };
  }
}

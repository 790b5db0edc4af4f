import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { LogDraft, RequestColumns, WrittenLog } from '../log/log-row.js';
import { type Names, NamesClient } from '../log/names.client.js';
import { LogStore, type NewLog } from './log-store.js';

/** Drafts become rows under the names that everybody has now. */
@Injectable()
export class LogWriter {
  constructor(
    private readonly names: NamesClient,
    private readonly store: LogStore,
    private readonly em: EntityManager,
  ) {}

  /** Asks other services, so not from within a transaction. */
  resolveNames(drafts: readonly LogDraft[]): Promise<Names> {
    return this.names.resolve({
      users: drafts.map(({ userId }) => userId),
      tokens: drafts.map(({ request }) => request?.tokenId ?? 0),
      channels: drafts.map(({ request }) => request?.channelId ?? 0),
    });
  }

  /** Runs the transaction that writes, and answers once what it wrote is to be seen. */
  async transactional<Result>(work: (em: EntityManager) => Promise<Result>): Promise<Result> {
    const result = await this.em.transactional((em) => work(em as EntityManager));
    await this.store.settle();
    return result;
  }

  /** In such a transaction. Answers the rows that were not there before: the event id is their key. Erased users are named by their pseudonym, however late. */
  async write<Draft extends LogDraft>(
    em: EntityManager,
    drafts: readonly Draft[],
    names: Names,
  ): Promise<WrittenLog<Draft>[]> {
    if (drafts.length === 0) return [];
    const unique = new Map(drafts.map((draft) => [draft.eventId.toLowerCase(), draft]));
    const rows = await this.store.insert(
      em,
      [...unique].map(([eventId, draft]) => toRow({ ...draft, eventId }, names)),
    );
    return rows.flatMap(({ eventId, username }) => {
      const draft = unique.get(eventId);
      return draft ? [{ ...draft, username }] : [];
    });
  }
}

/** What the columns of requests hold in other rows. */
const noRequest = {
  modelName: '',
  quota: 0,
  promptTokens: 0,
  completionTokens: 0,
  useTime: 0,
  isStream: false,
  channelId: 0,
  tokenId: 0,
  group: '',
  other: null,
};

const toRow = ({ request, ...draft }: LogDraft, names: Names): NewLog => ({
  ...draft,
  ...(request ?? noRequest),
  username: names.user(draft.userId),
  tokenName: request ? tokenName(request, names) : '',
  channelName: names.channel(request?.channelId ?? 0),
});

/** The playground needs no token; its rows say which group paid. */
const tokenName = ({ tokenId, tokenName: named, group }: RequestColumns, names: Names): string =>
  tokenId === 0 ? (named ?? `playground-${group}`) : names.token(tokenId);

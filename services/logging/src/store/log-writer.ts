import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { LogDraft, RequestColumns, WrittenLog } from '../log/log-row.js';
import { type Names, NamesClient } from '../log/names.client.js';
import { LogStore, type NewLog } from './log-store.js';

/** Writes drafts as rows, with the current names. */
@Injectable()
export class LogWriter {
  constructor(
    private readonly names: NamesClient,
    private readonly store: LogStore,
    private readonly em: EntityManager,
  ) {}

  /** Calls other services, so not to be used inside a transaction. */
  resolveNames(drafts: readonly LogDraft[]): Promise<Names> {
    return this.names.resolve({
      users: drafts.map(({ userId }) => userId),
      tokens: drafts.map(({ request }) => request?.tokenId ?? 0),
      channels: drafts.map(({ request }) => request?.channelId ?? 0),
    });
  }

  /** Runs the transaction that writes rows, and resolves once the rows are visible. */
  async transactional<Result>(work: (em: EntityManager) => Promise<Result>): Promise<Result> {
    const result = await this.em.transactional((em) => work(em as EntityManager));
    await this.store.settle();
    return result;
  }

  /**
   * Call it inside `transactional`. Returns the rows that did not exist yet; the event id is the key. Rows of erased
   * users get their pseudonym, however late they arrive.
   */
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

/** Request columns of rows that are not about a request. */
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

/** The playground uses no token; its rows name the group that paid. */
const tokenName = ({ tokenId, tokenName: named, group }: RequestColumns, names: Names): string =>
  tokenId === 0 ? (named ?? `playground-${group}`) : names.token(tokenId);

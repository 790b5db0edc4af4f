import { Controller, Query } from '@nestjs/common';
import { type Page, routes } from '@tollgate/contracts';
import {
  type JournalFilter,
  journalFilterSchema,
  type JournalQuery,
  journalQuerySchema,
  type PostingReply,
} from '@tollgate/contracts/api/journal';
import { type Caller, CurrentCaller, OptionStore, RawReply, Route } from '@tollgate/chassis';
import { journalCsv } from './journal-csv.js';
import { JournalQueries } from './journal.queries.js';

@Controller()
export class JournalController {
  constructor(
    private readonly queries: JournalQueries,
    private readonly options: OptionStore,
  ) {}

  @Route(routes.listJournal)
  list(@Query({ schema: journalQuerySchema }) query: JournalQuery): Promise<Page<PostingReply>> {
    return this.queries.list(query);
  }

  @Route(routes.exportJournal)
  export(@Query({ schema: journalFilterSchema }) filter: JournalFilter): RawReply {
    return this.file(filter, false);
  }

  /** A user's own rows; the user id in the filter is overridden. */
  @Route(routes.listOwnJournal)
  listOwn(
    @CurrentCaller() { userId }: Caller,
    @Query({ schema: journalQuerySchema }) query: JournalQuery,
  ): Promise<Page<PostingReply>> {
    return this.queries.list({ ...query, user_id: userId, actor_id: 0 }, true);
  }

  @Route(routes.exportOwnJournal)
  exportOwn(
    @CurrentCaller() { userId }: Caller,
    @Query({ schema: journalFilterSchema }) filter: JournalFilter,
  ): RawReply {
    return this.file({ ...filter, user_id: userId, actor_id: 0 }, true);
  }

  private file(filter: JournalFilter, own: boolean): RawReply {
    const quotaPerUnit = this.options.get('QuotaPerUnit');
    return new RawReply(journalCsv(this.queries.pieces(filter, own), { own, quotaPerUnit }), 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="journal.csv"',
    });
  }
}

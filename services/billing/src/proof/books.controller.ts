import { Controller } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import type { BooksState } from '@tollgate/contracts/api/books';
import { Route, unixSeconds } from '@tollgate/chassis';
import { BooksWatch } from './books-watch.js';

/** Shows administrators how far the books were checked. */
@Controller()
export class BooksController {
  constructor(private readonly watch: BooksWatch) {}

  @Route(routes.getBooksState)
  async state(): Promise<BooksState> {
    const { balancedUpTo, comparedFrom, checkedAt, faults, first } = await this.watch.state();
    return {
      balanced_up_to: unixSeconds(balancedUpTo),
      compared_from: unixSeconds(comparedFrom),
      checked_at: unixSeconds(checkedAt),
      ...{ faults, first: first ?? '' },
    };
  }
}

import type { BooksState } from '@tollgate/contracts/api/books';
import { injectEndpoints } from './base-api.js';

export const booksApi = injectEndpoints({
  endpoints: (build) => ({
    getBooksState: build.query<BooksState, void>({ query: () => 'api/finance/books', extraOptions: { quiet: true } }),
  }),
});

export const { useGetBooksStateQuery } = booksApi;

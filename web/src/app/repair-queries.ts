import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit';
import { baseApi } from '../api/base-api.js';

type Dispatch = ThunkDispatch<unknown, unknown, UnknownAction>;

/** The part of the cache of server data that tells what became of a query. */
export interface RefusedQueries {
  queries: Record<string, { status: string; endpointName?: string; originalArgs?: unknown } | undefined>;
}
type Again = (args: unknown, options: { forceRefetch: true; subscribe: false }) => UnknownAction;

/**
 * Makes a query again that was refused although the session is valid, such as one that was sent with the cookie from before. Each is
 * repaired once until it succeeds, so that a query that is always refused does not repeat itself.
 */
export function repairQueries() {
  const repaired = new Set<string>();
  return {
    /** `true`: the query is under way. */
    repair: (dispatch: Dispatch, { queries }: RefusedQueries, query: string | undefined): boolean => {
      const { status, endpointName = '', originalArgs } = (query !== undefined && queries[query]) || {};
      if (query === undefined || status === undefined) return false;
      if (status !== 'rejected') return true;
      if (repaired.has(query)) return false;
      repaired.add(query);
      const endpoint = (baseApi.endpoints as Record<string, { initiate: Again } | undefined>)[endpointName];
      if (!endpoint) return false;
      dispatch(endpoint.initiate(originalArgs, { forceRefetch: true, subscribe: false }));
      return true;
    },
    /** To be called when it happens: when the query is refused again, the cache does not say any more that it had succeeded. */
    succeeded: (query: string): void => void repaired.delete(query),
    /** Queries of another session may be repaired again. */
    forget: (): void => repaired.clear(),
  };
}

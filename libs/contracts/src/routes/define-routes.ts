export type ServiceName = 'gateway' | 'identity' | 'billing' | 'channel' | 'relay' | 'logging';
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/** Buckets of the rate limits. `critical` routes name a bucket of their own, so that their flows do not share one. */
export type RateClass = 'api' | 'callback' | 'login' | 'register' | 'code' | 'oauth' | 'relay' | 'picture' | 'none';

/**
 * How a caller authenticates: `none` open to all; `optional` a session is used if there is one; `user` session cookie or system access
 * token plus the user-id header; `session` as `user`, but without access tokens; `token` a token, checked by the owner; `navigation` a
 * session cookie alone, for browser navigations and event streams, which cannot send headers.
 */
export type RouteAuth = 'none' | 'optional' | 'user' | 'session' | 'token' | 'navigation';

/**
 * One documented call. `path` has no trailing slash, but is answered with one too. `:name` is a parameter, a final `*` matches the rest.
 */
interface RouteRow {
  method: HttpMethod;
  path: string;
  auth: RouteAuth;
  /** 0 for all values of `auth` except `user` and `session`. */
  minRole: 0 | 1 | 10 | 100;
  rate: RateClass;
  /** In bytes; 1 MiB by default. */
  bodyLimit?: number;
  /** Set if invalid input is documented to be answered with this status instead of 200. */
  invalidStatus?: 400;
  /** The documented message for a body that is not JSON, if it is not the usual one. */
  unreadable?: string;
  /** Refusals of a body have `error` in `message` and their text in `data`, like other refusals of the call. */
  refusedInData?: true;
  /**
   * Another refusal is documented to come first, whatever was sent, so the handler is also called with a body that is not JSON, which it
   * gets as none.
   */
  judgesBody?: true;
  /**
   * A server of another operator calls this route and authenticates by a signature over its body. The owner gets the raw bytes, whatever
   * their content type, and checks meant for browsers are not applied.
   */
  isCallback?: true;
  /** Also open to signed-in users who must first set up a second factor that the operator requires. */
  beforeFactor?: true;
}

export interface OwnedRouteRow extends RouteRow {
  owner: ServiceName;
  /** Key of the row; unique over all services. */
  operationId: string;
}

/** Assigns rows to their owner and sets their operation ids to their keys. */
export function defineRoutes<const Rows extends Record<string, RouteRow>>(
  owner: ServiceName,
  rows: Rows,
): { [Key in keyof Rows]: OwnedRouteRow } {
  return Object.fromEntries(
    Object.entries(rows).map(([operationId, row]) => [operationId, { ...row, owner, operationId }]),
  ) as { [Key in keyof Rows]: OwnedRouteRow };
}

type Guarded = Pick<RouteRow, 'auth' | 'minRole' | 'rate'>;
export const open = { auth: 'none', minRole: 0, rate: 'api' } as const satisfies Guarded;
export const asUser = { auth: 'user', minRole: 1, rate: 'api' } as const satisfies Guarded;
export const asAdmin = { auth: 'user', minRole: 10, rate: 'api' } as const satisfies Guarded;
export const asRoot = { auth: 'user', minRole: 100, rate: 'api' } as const satisfies Guarded;
/** For calls that change a user's own ways to sign in; access tokens are not accepted. */
export const byFactor = { auth: 'session', minRole: 1, rate: 'api', beforeFactor: true } as const;
export const byProvider = {
  auth: 'none',
  minRole: 0,
  rate: 'callback',
  bodyLimit: 64 * 1024,
  isCallback: true,
} as const;
export const byToken = { auth: 'token', minRole: 0, rate: 'relay' } as const satisfies Guarded;

export type ServiceName = 'gateway' | 'identity' | 'billing' | 'channel' | 'relay' | 'logging';
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/** The buckets of the rate-limit table in platform; `critical` rows name their own bucket so that flows do not share one. */
export type RateClass = 'api' | 'callback' | 'login' | 'register' | 'code' | 'oauth' | 'relay' | 'none';

/**
 * How a caller proves who it is:
 * `none` open to all; `optional` a session is used when there is one; `user` session cookie or system access token plus
 * the user-id header; `session` the same without access tokens; `token` an API key, checked by the owner;
 * `navigation` a session cookie alone, for calls that come by a browser navigation or open an event stream.
 */
export type RouteAuth = 'none' | 'optional' | 'user' | 'session' | 'token' | 'navigation';

/** One documented call. `path` is without trailing slash; both spellings answer. `:name` is a parameter, a final `*` takes the rest. */
export interface RouteRow {
  method: HttpMethod;
  path: string;
  auth: RouteAuth;
  /** 0 for everything that is not `user` or `session`. */
  minRole: 0 | 1 | 10 | 100;
  rate: RateClass;
  /** Bytes; 1 MiB unless stated. */
  bodyLimit?: number;
  /** Set where the documents answer invalid input with this status instead of 200. */
  invalidStatus?: 400;
  /** The documented words for a body that is no JSON, where they are not the usual ones. */
  unreadable?: string;
  /** It says `error` in `message` and these words in `data`, as the other refusals of the call do. */
  unreadableInData?: true;
  /** Something else is documented to refuse the call first, whatever was sent: a body that is no JSON comes to the owner as none. */
  judgesBody?: true;
  /**
   * A server of somebody else calls it and proves itself by a signature over what it sends. The owner gets the bytes of the body,
   * whatever their label, and what is asked of browsers is not asked of it.
   */
  isCallback?: true;
  /** Open also to somebody signed in who has yet to set up the second factor that the operator asks of them. */
  beforeFactor?: true;
}

export interface OwnedRouteRow extends RouteRow {
  owner: ServiceName;
  /** Unique over all services: the key of the row. */
  operationId: string;
}

/** Binds rows to their owner and names them after their keys. */
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
/** What decides about somebody's own ways in takes no access token. */
export const byFactor = { auth: 'session', minRole: 1, rate: 'api', beforeFactor: true } as const;
export const byProvider = {
  auth: 'none',
  minRole: 0,
  rate: 'callback',
  bodyLimit: 64 * 1024,
  isCallback: true,
} as const;
export const byToken = { auth: 'token', minRole: 0, rate: 'relay' } as const satisfies Guarded;

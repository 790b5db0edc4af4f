import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { OwnedRouteRow } from '@tollgate/contracts';
import { AppError, Host, OptionStore } from '@tollgate/chassis';
import type { FastifyRequest } from 'fastify';
import { hasBody } from './json-bodies.js';

const READ_ONLY = new Set(['GET', 'HEAD']);

/** What a browser states about the page behind a request, and the addresses of this server. */
interface Visit {
  headers: IncomingHttpHeaders;
  /** The host by which the client addressed this server. */
  host: string;
  protocol: string;
  /** The configured public addresses; an empty or invalid one matches nothing. */
  addresses: readonly string[];
}

/**
 * Whether a request comes from a page of this server or from a client that is no browser. Browsers send the page's
 * origin in headers that the page cannot change; an unknown value counts as foreign. Other clients send no such
 * headers.
 */
export function isOwnOrigin({ headers, host, protocol, addresses }: Visit): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  const page = webOrigin(origin);
  if (page === undefined) return false;
  if (site === 'same-origin') return true;
  // A load balancer may terminate TLS, so a page by https may call a server by http, but not the other way round.
  const ours = protocol === 'https' ? [`https://${host}`] : [`https://${host}`, `http://${host}`];
  return [...ours, ...addresses].some((address) => webOrigin(address) === page);
}

/** `scheme://host`, with the port unless it is the default; `undefined` for anything but an http(s) address. */
function webOrigin(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Browsers say on a changing request from which page it comes; scripts and command-line clients do not. */
const isFromPage = ({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
  origin !== undefined || site !== undefined;

/** Pages can send other content types to any site without a preflight request. */
export const isPlainJson = (headers: IncomingHttpHeaders): boolean =>
  !hasBody(headers) || /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');

/** Keeps pages of other sites from changing anything with the session of a user who visits them (CSRF). */
@Injectable()
export class OwnOrigin {
  constructor(
    private readonly options: OptionStore,
    private readonly host: Host,
  ) {}

  /** Throws `foreign-origin` for a changing request from a page of another site. */
  require({ method, headers, host, protocol }: FastifyRequest): void {
    if (READ_ONLY.has(method)) return;
    const addresses = [this.options.get('ServerAddress'), this.host.env.TOLLGATE_ADDRESS ?? ''];
    if (isOwnOrigin({ headers, host, protocol, addresses })) return;
    throw new AppError('forbidden', 'foreign-origin', '无权进行此操作，请求来源不受信任', { status: 403 });
  }

  /**
   * For calls that need no authentication, such as login and set-up, which nothing else protects from pages of other
   * sites.
   */
  requireForVisitors(request: FastifyRequest, { auth, isCallback }: OwnedRouteRow): void {
    if (READ_ONLY.has(request.method) || isCallback || (auth !== 'none' && auth !== 'optional')) return;
    this.require(request);
    if (isPlainJson(request.headers) || !isFromPage(request.headers)) return;
    throw new AppError('invalid', 'json-only', '请求的 Content-Type 必须是 application/json', { status: 415 });
  }
}

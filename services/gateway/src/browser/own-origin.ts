import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { OwnedRouteRow } from '@tollgate/contracts';
import { AppError, Host, OptionStore } from '@tollgate/chassis';
import type { FastifyRequest } from 'fastify';
import { hasBody } from './json-bodies.js';

const READ_ONLY = new Set(['GET', 'HEAD']);

/** What a browser said of the page behind a request, and who we are. */
interface Visit {
  headers: IncomingHttpHeaders;
  /** As the client named us. */
  host: string;
  protocol: string;
  /** Where people are told to find us; an empty or broken one is nobody's. */
  addresses: readonly string[];
}

/**
 * Whether a changing request comes from a page of ours or from no page at all. Browsers tell where a page comes from and
 * pages cannot change it; what they tell and we do not know is foreign. Other clients tell nothing.
 */
export function isOwnOrigin({ headers, host, protocol, addresses }: Visit): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  const page = webOrigin(origin);
  if (page === undefined) return false;
  if (site === 'same-origin') return true;
  // A balancer may end TLS before us, so a secure page may speak to an insecure port, but never the other way round.
  const ours = protocol === 'https' ? [`https://${host}`] : [`https://${host}`, `http://${host}`];
  return [...ours, ...addresses].some((address) => webOrigin(address) === page);
}

/** `scheme://host` with the port only where it is not the usual one; undefined for anything that is no page of the web. */
function webOrigin(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Pages may send every other type to any site without asking it first. */
export const isPlainJson = (headers: IncomingHttpHeaders): boolean =>
  !hasBody(headers) || /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');

/** Keeps pages of other sites from changing anything here in the name of whoever looks at them. */
@Injectable()
export class OwnOrigin {
  constructor(
    private readonly options: OptionStore,
    private readonly host: Host,
  ) {}

  /** Throws `foreign-origin` for a changing request of a page that is not ours. */
  require({ method, headers, host, protocol }: FastifyRequest): void {
    if (READ_ONLY.has(method)) return;
    const addresses = [this.options.get('ServerAddress'), this.host.env.TOLLGATE_ADDRESS ?? ''];
    if (isOwnOrigin({ headers, host, protocol, addresses })) return;
    throw new AppError('forbidden', 'foreign-origin', '无权进行此操作，请求来源不受信任', { status: 403 });
  }

  /** For calls without a proof of who makes them, such as login and set-up: nothing else keeps other sites from them. */
  requireForVisitors(request: FastifyRequest, { auth, isCallback }: OwnedRouteRow): void {
    if (READ_ONLY.has(request.method) || isCallback || (auth !== 'none' && auth !== 'optional')) return;
    this.require(request);
    if (isPlainJson(request.headers)) return;
    throw new AppError('invalid', 'json-only', '请求的 Content-Type 必须是 application/json', { status: 415 });
  }
}

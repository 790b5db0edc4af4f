import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { fastifyStatic } from '@fastify/static';
import { Injectable } from '@nestjs/common';
import { acceptsCoding, Logger, OptionStore, productFolder, unknownAddress } from '@tollgate/chassis';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { keepPrivate } from '../browser/private-replies.js';

const WEB_ROOT = join(productFolder, 'dist/web');
/** For names that contain a hash of the content. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** For files whose name stays the same, such as the default logo. */
const FOR_A_WEEK = 'max-age=604800';
/**
 * Accepts several slashes, as a base address with a trailing slash produces, so that such a call is not answered with a
 * page.
 */
const API_PREFIX = /^\/+(api|assets|dashboard|v1|v1beta|pg|mj|suno|internal)(\/|$)/;

const OTHER_METHODS = ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
/** First parts of paths that are no mode of drawings, so that `/:mode/mj/*`, which the relay answers, leaves them out. */
const OWN_ROOTS = ['api', 'assets', 'dashboard', 'internal'];

/**
 * Serves the built console: hashed assets with unlimited caching, the page without caching, and the page for every
 * address of the console. Files compressed during the build are sent in an encoding that the browser accepts.
 */
@Injectable()
export class ConsoleFiles {
  private page = '';
  private encoded: { br?: Buffer; gzip?: Buffer } = {};
  private inline = '';

  constructor(
    private readonly logger: Logger,
    private readonly options: OptionStore,
  ) {}

  async register(instance: FastifyInstance): Promise<void> {
    const root = existsSync(join(WEB_ROOT, 'index.html')) ? WEB_ROOT : undefined;
    if (root === undefined) this.logger.warn('the console is not built; only the API answers');
    else {
      this.page = readFileSync(join(root, 'index.html'), 'utf8');
      this.inline = inlineHashes(this.page);
      this.encoded = { br: brotliCompressSync(this.page), gzip: gzipSync(this.page) };
      await instance.register(fastifyStatic, {
        root,
        wildcard: false,
        index: false,
        preCompressed: true,
        cacheControl: false,
        globIgnore: ['index.html', '**/*.br', '**/*.gz'],
        setHeaders: (reply, path) => {
          void reply.header('cache-control', path.startsWith(join(root, 'assets') + sep) ? FOR_EVER : FOR_A_WEEK);
        },
      });
    }
    instance.get('/*', (request, reply) => this.fallback(request, reply));
    for (const method of OTHER_METHODS) instance.route({ method, url: '/*', handler: notFound });
    for (const root of OWN_ROOTS) {
      const route = { method: ['GET', ...OTHER_METHODS], url: `/${root}/mj/*` };
      // Answered before a body is read, because it need not be JSON.
      instance.route({ ...route, onRequest: (request, reply) => void notFound(request, reply), handler: notFound });
    }
  }

  private fallback(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = request.url.split('?')[0] ?? '/';
    if (API_PREFIX.test(path) || this.page === '') return notFound(request, reply);
    const { 'accept-encoding': accepted } = request.headers;
    const coding = (['br', 'gzip'] as const).find((name) => acceptsCoding(accepted, name));
    if (coding) reply.header('content-encoding', coding);
    return reply
      .header('vary', 'accept-encoding')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', contentSecurityPolicy(this.inline, scriptsOf(this.options)))
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'strict-origin-when-cross-origin')
      .header('x-frame-options', 'SAMEORIGIN')
      .type('text/html; charset=utf-8')
      .send((coding && this.encoded[coding]) ?? this.page);
  }
}

function notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  keepPrivate(reply.raw);
  return reply.status(404).send(unknownAddress(request));
}

/** Third-party scripts that the sign-in pages need, as far as the operator has enabled them. */
const scriptsOf = (options: Pick<OptionStore, 'get'>): string[] => [
  ...(options.get('TurnstileCheckEnabled') ? ['https://challenges.cloudflare.com'] : []),
  ...(options.get('TelegramOAuthEnabled') ? ['https://telegram.org'] : []),
];

/** CSP hashes of the page's inline scripts. */
const inlineHashes = (page: string): string =>
  [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
    .map(
      ([, code]) =>
        `'sha256-${createHash('sha256')
          .update(code ?? '')
          .digest('base64')}'`,
    )
    .join(' ');

/**
 * Allows scripts of this server and the page's inline scripts by hash; images and chat frames that operators configure
 * may come from other origins.
 */
function contentSecurityPolicy(inline: string, scripts: readonly string[] = []): string {
  return [
    "default-src 'self'",
    ["script-src 'self'", inline, ...scripts].filter(Boolean).join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob: https: http:",
    "media-src 'self' data: blob:",
    "connect-src 'self'",
    'frame-src https: http:',
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self' https: http:",
    "frame-ancestors 'self'",
  ].join('; ');
}

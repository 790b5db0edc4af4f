import { Controller, Headers, Query, Res } from '@nestjs/common';
import { routes, resolveTokens } from '@tollgate/contracts';
import { type Log, type TokenLogQuery, tokenLogQuerySchema } from '@tollgate/contracts/api/log';
import { AppError, InternalClient, Route, SecretBox } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import { LogQueries } from './log.queries.js';
import { toOwnLogReply } from './log.reply.js';

/** The purpose under which billing and relay hash keys. */
const TOKEN_KEY = 'token-key';
const KEY_FORM = /^[0-9A-Za-z]{48}$/;

/** For whoever holds an API key, from any page: the newest rows of that key, as its owner would see them. */
@Controller()
export class TokenLogController {
  constructor(
    private readonly queries: LogQueries,
    private readonly internal: InternalClient,
    private readonly secrets: SecretBox,
  ) {}

  @Route(routes.listTokenLogs)
  async list(
    @Query({ schema: tokenLogQuerySchema }) query: TokenLogQuery,
    @Headers('authorization') authorization: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Log[]> {
    // Set before anything may refuse, so that a foreign page can read the refusal too.
    void reply.header('access-control-allow-origin', '*');
    const tokenId = await this.tokenOf(query.key === '' ? (authorization ?? '') : query.key);
    return (await this.queries.ofToken(tokenId)).map(toOwnLogReply);
  }

  private async tokenOf(text: string): Promise<number> {
    const key = plainKey(text);
    const { tokens } = KEY_FORM.test(key)
      ? await this.internal.call(resolveTokens, { keyHashes: [this.secrets.hmac(TOKEN_KEY, key)] })
      : { tokens: [] };
    const [token] = tokens;
    if (!token) throw new AppError('not-found', 'token-not-found', '无效的令牌');
    return token.id;
  }
}

/** Without `Bearer `, `sk-` and what follows the key. */
const plainKey = (text: string): string =>
  text
    .trim()
    .replace(/^Bearer\s+/i, '')
    .replace(/^sk-/, '')
    .replace(/-.*$/, '');

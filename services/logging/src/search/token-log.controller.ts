import { Controller, Headers, Ip, Query, Res } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { type Log, type TokenLogQuery, tokenLogQuerySchema } from '@tollgate/contracts/api/log';
import { Route } from '@tollgate/chassis';
import type { FastifyReply } from 'fastify';
import { LogKey } from './log-key.js';
import { LogQueries } from './log.queries.js';
import { toOwnLogReply } from './log.reply.js';

/** For whoever holds an API key, from any page: the newest rows of that key, as its owner would see them. */
@Controller()
export class TokenLogController {
  constructor(
    private readonly queries: LogQueries,
    private readonly key: LogKey,
  ) {}

  @Route(routes.listTokenLogs)
  async list(
    @Query({ schema: tokenLogQuerySchema }) query: TokenLogQuery,
    @Headers('authorization') authorization: string | undefined,
    @Ip() address: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Log[]> {
    // Set before anything may refuse, so that a foreign page can read the refusal too.
    void reply.header('access-control-allow-origin', '*');
    const tokenId = await this.key.tokenOf(query.key === '' ? (authorization ?? '') : query.key, address);
    return (await this.queries.ofToken(tokenId)).map(toOwnLogReply);
  }
}

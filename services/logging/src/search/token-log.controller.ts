import { Controller, Headers, Ip, Query, Res } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { type Log, type TokenLogQuery, tokenLogQuerySchema } from '@tollgate/contracts/api/log';
import { Route } from '@tollgate/chassis';
import type { FastifyReply } from 'fastify';
import { LogKey } from './log-key.js';
import { LogQueries } from './log.queries.js';
import { OwnLogReplies } from './own-log-replies.js';

/** For holders of a token, on pages of any origin: the newest rows of the token, as its owner sees them. */
@Controller()
export class TokenLogController {
  constructor(
    private readonly queries: LogQueries,
    private readonly key: LogKey,
    private readonly own: OwnLogReplies,
  ) {}

  @Route(routes.listTokenLogs)
  async list(
    @Query({ schema: tokenLogQuerySchema }) query: TokenLogQuery,
    @Headers('authorization') authorization: string | undefined,
    @Ip() address: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Log[]> {
    // Set before anything can throw, so that a page of another origin can read the error too.
    void reply.header('access-control-allow-origin', '*');
    const tokenId = await this.key.tokenOf(query.key === '' ? (authorization ?? '') : query.key, address);
    return (await this.queries.ofToken(tokenId)).map(this.own.of);
  }
}

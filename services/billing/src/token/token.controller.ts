import { Body, Controller, Param, Query } from '@nestjs/common';
import { type PageQuery, routes } from '@tollgate/contracts';
import {
  createTokenSchema,
  type Token as TokenReply,
  tokenIdParamSchema,
  tokenListQuerySchema,
  type TokenSearchQuery,
  tokenSearchQuerySchema,
  updateTokenSchema,
  updateTokenStatusSchema,
} from '@tollgate/contracts/api/token';
import { type Caller, CurrentCaller, type IdParam, parsedBody, RawReply, Route } from '@tollgate/chassis';
import { z } from 'zod';
import { type TokenPage, TokenService } from './token.service.js';

const updateQuerySchema = z.object({ status_only: z.string().optional() });

@Controller()
export class TokenController {
  constructor(private readonly tokens: TokenService) {}

  @Route(routes.listTokens)
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: tokenListQuerySchema }) query: PageQuery,
  ): Promise<RawReply> {
    return bareList(await this.tokens.list(caller.userId, query));
  }

  @Route(routes.searchTokens)
  async search(
    @CurrentCaller() caller: Caller,
    @Query({ schema: tokenSearchQuerySchema }) query: TokenSearchQuery,
  ): Promise<RawReply> {
    return bareList(await this.tokens.search(caller.userId, query));
  }

  @Route(routes.getToken)
  get(@CurrentCaller() caller: Caller, @Param({ schema: tokenIdParamSchema }) { id }: IdParam): Promise<TokenReply> {
    return this.tokens.get(caller.userId, id);
  }

  /** The reply contains no key; the owner copies it from the list of tokens. */
  @Route(routes.createToken)
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createTokenSchema }) input: z.output<typeof createTokenSchema>,
  ): Promise<void> {
    return this.tokens.create(caller, input);
  }

  /** The path accepts two kinds of body; the query says which. */
  @Route(routes.updateToken)
  async update(
    @CurrentCaller() caller: Caller,
    @Query({ schema: updateQuerySchema }) query: z.output<typeof updateQuerySchema>,
    @Body() body: unknown,
  ): Promise<TokenReply> {
    if (!query.status_only) {
      const edit = parsedBody(updateTokenSchema, body);
      return this.tokens.update(caller, edit);
    }
    const { id, status } = parsedBody(updateTokenStatusSchema, body);
    return this.tokens.setStatus(caller, id, status);
  }

  @Route(routes.deleteToken)
  delete(@CurrentCaller() caller: Caller, @Param({ schema: tokenIdParamSchema }) { id }: IdParam): Promise<void> {
    return this.tokens.delete(caller.userId, id);
  }
}

const bareList = ({ tokens, total }: TokenPage): RawReply =>
  new RawReply({ success: true, message: '', data: tokens }, 200, { 'x-total-count': String(total) });

import { Readable } from 'node:stream';
import { Body, Controller, Param, Req, Res } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { eraseUserSchema, type EraseUser } from '@tollgate/contracts/api/person';
import {
  type Caller,
  CurrentCaller,
  type IdParam,
  idParamSchema,
  type PlatformRequest,
  RawReply,
  Route,
} from '@tollgate/chassis';
import type { FastifyReply } from 'fastify';
import { ErasureService } from './erasure.service.js';
import { PersonArchive } from './person-archive.js';

/** The rights of people over their own data: to get a copy and to have it erased. */
@Controller()
export class PersonController {
  constructor(
    private readonly archive: PersonArchive,
    private readonly erasure: ErasureService,
  ) {}

  @Route(routes.exportSelf)
  exportSelf(@CurrentCaller() caller: Caller): Promise<RawReply> {
    return this.file(caller.userId, caller);
  }

  @Route(routes.exportUser)
  export(@Param({ schema: idParamSchema }) { id }: IdParam, @CurrentCaller() caller: Caller): Promise<RawReply> {
    return this.file(id, caller);
  }

  @Route(routes.eraseSelf)
  eraseSelf(
    @Body({ schema: eraseUserSchema }) body: EraseUser,
    @CurrentCaller() caller: Caller,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    return this.erasure.eraseSelf(body, caller, { request, reply });
  }

  @Route(routes.eraseUser)
  erase(
    @Param({ schema: idParamSchema }) { id }: IdParam,
    @Body({ schema: eraseUserSchema }) body: EraseUser,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.erasure.erase(id, body, caller);
  }

  private async file(userId: number, caller: Caller): Promise<RawReply> {
    const text = await this.archive.of(userId, caller);
    return new RawReply(Readable.from(text, { objectMode: false }), 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="user_${userId}.json"`,
      'cache-control': 'no-store',
    });
  }
}

import { Controller, Get, Param, Req } from '@nestjs/common';
import { RawReply, unknownAddress } from '@tollgate/chassis';
import type { FastifyRequest } from 'fastify';
import { ApiDocuments } from './api-documents.js';
import { docsPage, docsPolicy } from './docs-page.js';
import { viewerFiles } from './viewer-files.js';

const NOT_SNIFFED = { 'x-content-type-options': 'nosniff' };
/** The files change only with a new version of the product. */
const A_DAY = 'public, max-age=86400';

/** API documents of the platform, for programs and as a page. */
@Controller('/api')
export class DocsController {
  constructor(private readonly documents: ApiDocuments) {}

  @Get('openapi.json')
  async openapi(): Promise<RawReply> {
    return new RawReply(await this.documents.openapi(), 200, { 'cache-control': 'no-cache' });
  }

  @Get('asyncapi.json')
  asyncapi(): RawReply {
    return new RawReply(this.documents.asyncapi, 200, { 'cache-control': 'no-cache' });
  }

  @Get('docs')
  page(): RawReply {
    return new RawReply(docsPage, 200, {
      ...NOT_SNIFFED,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': docsPolicy,
    });
  }

  @Get('docs/assets/:name')
  asset(@Param('name') name: string, @Req() request: FastifyRequest): RawReply {
    const file = viewerFiles.get(name);
    if (!file) return new RawReply(unknownAddress(request), 404);
    return new RawReply(file.read(), 200, { ...NOT_SNIFFED, 'content-type': file.type, 'cache-control': A_DAY });
  }
}

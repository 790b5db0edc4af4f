import { Module } from '@nestjs/common';
import { ApiDocuments } from './api-documents.js';
import { DocsController } from './docs.controller.js';

@Module({ controllers: [DocsController], providers: [ApiDocuments] })
export class DocsModule {}

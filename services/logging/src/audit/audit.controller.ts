import { Controller, Query } from '@nestjs/common';
import { type Page, routes } from '@tollgate/contracts';
import { type AuditEntry, type AuditQuery, auditQuerySchema } from '@tollgate/contracts/api/audit';
import { Route } from '@tollgate/chassis';
import { AuditQueries } from './audit.queries.js';

@Controller()
export class AuditController {
  constructor(private readonly queries: AuditQueries) {}

  @Route(routes.listAudit)
  list(@Query({ schema: auditQuerySchema }) query: AuditQuery): Promise<Page<AuditEntry>> {
    return this.queries.list(query);
  }
}

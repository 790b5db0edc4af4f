import { Body, Controller, Param, Query } from '@nestjs/common';
import { type Page, type PageQuery, routes } from '@tollgate/contracts';
import {
  importInvoiceSchema,
  type Invoice,
  invoiceIdSchema,
  type InvoiceMatch,
  invoiceQuerySchema,
  type InvoiceRequests,
  invoiceRequestsQuerySchema,
  type InvoiceResult,
} from '@tollgate/contracts/api/invoice';
import { CSV_MARK, csvLines } from '@tollgate/contracts/csv';
import { type Caller, CurrentCaller, RawReply, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { InvoiceService } from './invoice.service.js';
import { InvoiceStore } from './invoice.store.js';

const COLUMNS = [
  ['day', ({ day }) => day],
  ['model', ({ model }) => model],
  ['state', ({ state }) => state],
  ['invoice_requests', ({ invoice }) => invoice.requests],
  ['invoice_input', ({ invoice }) => invoice.input],
  ['invoice_cached', ({ invoice }) => invoice.cached],
  ['invoice_output', ({ invoice }) => invoice.output],
  ['invoice_amount', ({ invoice }) => invoice.amount ?? ''],
  ['upstream_requests', ({ upstream }) => upstream.requests],
  ['upstream_input', ({ upstream }) => upstream.input],
  ['upstream_output', ({ upstream }) => upstream.output],
  ['our_requests', ({ ours }) => ours.requests],
  ['our_input', ({ ours }) => ours.input],
  ['our_output', ({ ours }) => ours.output],
  ['difference_input', ({ difference }) => difference.input],
  ['difference_output', ({ difference }) => difference.output],
  ['journal_requests', ({ journal }) => journal.requests],
  ['journal_sales', ({ journal }) => journal.sales],
  ['journal_cost', ({ journal }) => journal.cost ?? 'unknown'],
] as const satisfies [string, (row: InvoiceMatch) => string | number][];

type IdParam = z.output<typeof invoiceIdSchema>;

@Controller()
export class InvoiceController {
  constructor(
    private readonly invoices: InvoiceService,
    private readonly store: InvoiceStore,
  ) {}

  @Route(routes.listInvoices)
  list(@Query({ schema: invoiceQuerySchema }) query: PageQuery): Promise<Page<Invoice>> {
    return this.store.list(query);
  }

  @Route(routes.importInvoice)
  import(
    @CurrentCaller() { userId }: Caller,
    @Body({ schema: importInvoiceSchema }) input: z.output<typeof importInvoiceSchema>,
  ): Promise<Invoice> {
    return this.invoices.import(input, userId);
  }

  @Route(routes.getInvoice)
  get(@Param({ schema: invoiceIdSchema }) { id }: IdParam): Promise<InvoiceResult> {
    return this.invoices.result(id);
  }

  @Route(routes.exportInvoice)
  async export(@Param({ schema: invoiceIdSchema }) { id }: IdParam): Promise<RawReply> {
    const { matches } = await this.invoices.result(id);
    const rows = matches.map((row) => COLUMNS.map(([, read]) => read(row)));
    return new RawReply(CSV_MARK + csvLines([COLUMNS.map(([name]) => name), ...rows]), 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="invoice_${id}.csv"`,
    });
  }

  @Route(routes.listInvoiceRequests)
  requests(
    @Param({ schema: invoiceIdSchema }) { id }: IdParam,
    @Query({ schema: invoiceRequestsQuerySchema }) query: z.output<typeof invoiceRequestsQuerySchema>,
  ): Promise<InvoiceRequests> {
    return this.invoices.requests(id, query);
  }
}

import type { Page } from '@tollgate/contracts/envelope';
import type {
  ImportInvoice,
  Invoice,
  InvoiceMatch,
  InvoiceRequests,
  InvoiceResult,
} from '@tollgate/contracts/api/invoice';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { rowsOfPage } from './paged.js';

export const invoiceApi = injectEndpoints({
  endpoints: (build) => ({
    listInvoices: build.query<Rows<Invoice>, PageRequest>({
      query: ({ page, size }) => ({ url: 'api/invoice', params: { p: page, page_size: size } }),
      transformResponse: (page: Page<Invoice>) => rowsOfPage(page),
      extraOptions: { quiet: true },
      providesTags: ['Invoice'],
    }),
    getInvoice: build.query<InvoiceResult, number>({
      query: (id) => `api/invoice/${id}`,
      extraOptions: { quiet: true },
    }),
    listInvoiceRequests: build.query<InvoiceRequests, { id: number } & Pick<InvoiceMatch, 'day' | 'model'>>({
      query: ({ id, day, model }) => ({ url: `api/invoice/${id}/requests`, params: { day, model } }),
      extraOptions: { quiet: true },
    }),
    importInvoice: build.mutation<Invoice, ImportInvoice>({
      query: (body) => ({ url: 'api/invoice', method: 'POST', body }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Invoice'],
    }),
  }),
});

export const { useListInvoicesQuery, useGetInvoiceQuery, useListInvoiceRequestsQuery, useImportInvoiceMutation } =
  invoiceApi;

import type { Delivery } from '@tollgate/contracts/api/delivery';
import type { Page } from '@tollgate/contracts/envelope';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { rowsOfPage } from './paged.js';

export interface DeliveryRequest extends PageRequest {
  /** Deliveries of all users; without it only the caller's own. */
  everybody?: boolean;
  status?: Delivery['status'] | '';
  kind?: string;
  /** 0: of any user. */
  userId?: number;
}

/** Mails and webhooks with their outcome. */
export const deliveryApi = injectEndpoints({
  endpoints: (build) => ({
    listDeliveries: build.query<Rows<Delivery>, DeliveryRequest>({
      query: ({ everybody = false, status = '', kind = '', userId = 0, page, size }) => ({
        url: everybody ? 'api/delivery/' : 'api/delivery/self',
        params: {
          p: page,
          page_size: size,
          ...(status && { status }),
          ...(kind && { kind }),
          ...(userId > 0 && { user_id: userId }),
        },
      }),
      transformResponse: (page: Page<Delivery>) => rowsOfPage(page),
      extraOptions: { quiet: true },
      keepUnusedDataFor: 0,
    }),
  }),
});

export const { useListDeliveriesQuery } = deliveryApi;

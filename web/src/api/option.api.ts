import type { OidcDiscovery, Option, UpdateOption } from '@tollgate/contracts/api/option';
import type { OptionKey } from '@tollgate/contracts/options/index';
import { isOptionKey } from '@tollgate/contracts/options/index';
import type { TestMail } from '@tollgate/contracts/api/verification';
import { injectEndpoints } from './base-api.js';

/** An option as the page needs it: its effective text; for a secret only whether it is set. */
interface StoredOption {
  value: string;
  revision: number;
  isSet: boolean;
}
export type Options = Partial<Record<OptionKey, StoredOption>>;

const toOptions = (rows: Option[] | null): Options =>
  Object.fromEntries(
    (rows ?? [])
      .filter(({ key }) => isOptionKey(key))
      .map(({ key, value, revision = 0, is_set: isSet = value !== '' }) => [key, { value, revision, isSet }]),
  );

export const optionApi = injectEndpoints({
  endpoints: (build) => ({
    listOptions: build.query<Options, void>({
      query: () => 'api/option/',
      transformResponse: toOptions,
      extraOptions: { quiet: true },
      providesTags: ['Option'],
    }),
    /**
     * Quiet, because the page shows a refusal at its field. Invalidates nothing: the caller does, since names, prices and flags are part of
     * other replies too.
     */
    updateOption: build.mutation<null, UpdateOption>({
      query: (body) => ({ url: 'api/option/', method: 'PUT', body }),
      extraOptions: { quiet: true },
    }),
    discoverOidc: build.mutation<OidcDiscovery, string>({
      query: (url) => ({ url: 'api/option/oidc_discovery', method: 'POST', body: { url } }),
    }),
    testMail: build.mutation<string, TestMail>({
      query: (body) => ({ url: 'api/option/mail_test', method: 'POST', body }),
      extraOptions: { quiet: true },
    }),
    resetModelRatio: build.mutation<null, void>({
      query: () => ({ url: 'api/option/rest_model_ratio', method: 'POST' }),
      extraOptions: { quiet: true },
      invalidatesTags: ['Option', 'Pricing'],
    }),
  }),
});

export const {
  useListOptionsQuery,
  useUpdateOptionMutation,
  useDiscoverOidcMutation,
  useTestMailMutation,
  useResetModelRatioMutation,
} = optionApi;

import type {
  CreatePasskey,
  DisableTotp,
  FactorStatus,
  Passkey,
  PasskeyLogin,
  Proof,
  RecoveryCodes,
  SecondStep,
  TotpSetup,
} from '@tollgate/contracts/api/second-factor';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { injectEndpoints } from './base-api.js';

/** Options for the browser's passkey API, passed on unread. */
export type PasskeyOptions = Record<string, unknown>;

const quiet = { extraOptions: { quiet: true } };
const OWN = 'api/user/self/2fa';
const KEYS = 'api/user/self/passkey';

/** Second factors: at sign-in, and the settings of the user's own account. */
export const factorApi = injectEndpoints({
  endpoints: (build) => ({
    getSecondStep: build.query<SecondStep, void>({
      query: () => 'api/user/login/2fa',
      ...quiet,
      keepUnusedDataFor: 0,
    }),
    finishSecondStep: build.mutation<SessionUser, string>({
      query: (code) => ({ url: 'api/user/login/2fa', method: 'POST', body: { code } }),
      ...quiet,
    }),
    beginPasskeyLogin: build.mutation<PasskeyOptions, boolean>({
      query: (second) => ({ url: 'api/user/passkey/login/begin', method: 'POST', body: { second_step: second } }),
      ...quiet,
    }),
    finishPasskeyLogin: build.mutation<SessionUser, PasskeyLogin>({
      query: (body) => ({ url: 'api/user/passkey/login/finish', method: 'POST', body }),
      ...quiet,
    }),
    getFactors: build.query<FactorStatus, void>({ query: () => OWN, ...quiet, providesTags: ['Self'] }),
    setUpTotp: build.mutation<TotpSetup, Proof>({
      query: (body) => ({ url: `${OWN}/setup`, method: 'POST', body }),
      ...quiet,
    }),
    /**
     * Invalidates nothing: the caller updates the store once the user has seen the recovery codes, because the store's state decides which
     * page is open.
     */
    enableTotp: build.mutation<RecoveryCodes, string>({
      query: (code) => ({ url: `${OWN}/enable`, method: 'POST', body: { code } }),
      ...quiet,
    }),
    disableTotp: build.mutation<null, DisableTotp>({
      query: (body) => ({ url: `${OWN}/disable`, method: 'POST', body }),
      ...quiet,
      invalidatesTags: ['Self'],
    }),
    renewRecoveryCodes: build.mutation<RecoveryCodes, Proof>({
      query: (body) => ({ url: `${OWN}/recovery_codes`, method: 'POST', body }),
      ...quiet,
    }),
    listPasskeys: build.query<Passkey[], void>({ query: () => KEYS, ...quiet, providesTags: ['Self'] }),
    beginPasskey: build.mutation<PasskeyOptions, Proof>({
      query: (body) => ({ url: `${KEYS}/begin`, method: 'POST', body }),
      ...quiet,
    }),
    createPasskey: build.mutation<RecoveryCodes, CreatePasskey>({
      query: (body) => ({ url: KEYS, method: 'POST', body }),
      ...quiet,
    }),
    renamePasskey: build.mutation<null, { id: number; name: string }>({
      query: ({ id, name }) => ({ url: `${KEYS}/${id}`, method: 'PUT', body: { name } }),
      ...quiet,
      invalidatesTags: ['Self'],
    }),
    deletePasskey: build.mutation<null, { id: number } & Proof>({
      query: ({ id, ...body }) => ({ url: `${KEYS}/${id}`, method: 'DELETE', body }),
      ...quiet,
      invalidatesTags: ['Self'],
    }),
  }),
});

export const {
  useGetSecondStepQuery,
  useFinishSecondStepMutation,
  useBeginPasskeyLoginMutation,
  useFinishPasskeyLoginMutation,
  useGetFactorsQuery,
  useSetUpTotpMutation,
  useEnableTotpMutation,
  useDisableTotpMutation,
  useRenewRecoveryCodesMutation,
  useListPasskeysQuery,
  useBeginPasskeyMutation,
  useCreatePasskeyMutation,
  useRenamePasskeyMutation,
  useDeletePasskeyMutation,
} = factorApi;

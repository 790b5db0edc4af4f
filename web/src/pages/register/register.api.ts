import type { Register } from '@tollgate/contracts/api/user';
import { baseApi } from '../../api/base-api.js';

export const registerApi = baseApi.injectEndpoints({
  endpoints: (build) => ({
    register: build.mutation<null, Register & { turnstile?: string }>({
      query: ({ turnstile = '', ...body }) => ({
        url: 'api/user/register',
        method: 'POST',
        params: { turnstile },
        body,
      }),
      extraOptions: { quiet: true },
    }),
    sendCode: build.mutation<null, string>({
      query: (email) => ({ url: 'api/verification', params: { email, turnstile: '' } }),
    }),
  }),
});

export const { useRegisterMutation, useSendCodeMutation } = registerApi;

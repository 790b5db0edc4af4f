import type { Proof, ProofKind } from '@tollgate/contracts/api/proof';
import { injectEndpoints } from './base-api.js';

export const proofApi = injectEndpoints({
  endpoints: (build) => ({
    getProof: build.query<Proof, { kind: ProofKind; id: string }>({
      query: ({ kind, id }) => `api/proof/${kind}/${encodeURIComponent(id)}`,
      extraOptions: { quiet: true },
      keepUnusedDataFor: 0,
    }),
  }),
});

export const { useGetProofQuery } = proofApi;

import { z } from 'zod';
import type { ServiceName } from '../routes/define-routes.js';
import { defineCall, type InternalCall } from './define-call.js';

const jsonObject = z.record(z.string(), z.unknown());

/** A service's share of the OpenAPI document: its operations by path and method, and the schemas they name. */
export const apiFragmentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), jsonObject)),
  schemas: z.record(z.string(), jsonObject),
});
export type ApiFragment = z.infer<typeof apiFragmentSchema>;

const input = z.object({});

/** Every service answers it; the chassis does so for all. */
export const getOpenapi = (service: ServiceName): InternalCall<typeof input, typeof apiFragmentSchema> =>
  defineCall({ service, name: 'get-openapi', input, output: apiFragmentSchema });

import { z } from 'zod';
import type { ServiceName } from '../routes/define-routes.js';
import { defineCall, type InternalCall } from './define-call.js';

const jsonObject = z.record(z.string(), z.unknown());

/** A service's part of the OpenAPI document: operations by path and method, and the schemas they refer to. */
export const apiFragmentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), jsonObject)),
  schemas: z.record(z.string(), jsonObject),
});
export type ApiFragment = z.infer<typeof apiFragmentSchema>;

const input = z.object({});

/** The chassis answers this call for every service. */
export const getOpenapi = (service: ServiceName): InternalCall<typeof input, typeof apiFragmentSchema> =>
  defineCall({ service, name: 'get-openapi', input, output: apiFragmentSchema });

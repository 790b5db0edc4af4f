import type { Type } from '@nestjs/common';
import { MODULE_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import {
  allRoutes,
  type ApiFragment,
  type JsonSchema,
  type OwnedRouteRow,
  type RouteAuth,
  type ServiceName,
} from '@tollgate/contracts';
import { type OperationDocument, operations } from '@tollgate/contracts/operations/index';
import { z } from 'zod';
import { type SchemaSink, toApiSchema } from './openapi-schema.js';
import { ROUTE } from './route.js';

/** The schemas that a controller method declares on its parameters. */
interface Declared {
  body?: z.ZodType;
  query?: z.ZodType;
  param?: z.ZodType;
}

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

const bySession = { session: [], userId: [] };
const byAccessToken = { accessToken: [], userId: [] };
const security: Record<RouteAuth, Record<string, never[]>[]> = {
  none: [],
  optional: [{}, bySession, byAccessToken],
  user: [bySession, byAccessToken],
  session: [bySession],
  navigation: [{ session: [] }],
  token: [{ apiKey: [] }],
};

/**
 * A service's part of the OpenAPI document: one operation per route row that it owns. Reads the parameter schemas from the service's
 * module; the service need not run.
 */
export function describeService(name: ServiceName, module?: Type): ApiFragment {
  const declared = module ? declaredSchemas(module) : new Map<string, Declared>();
  const schemas: SchemaSink = {};
  const paths: ApiFragment['paths'] = {};
  for (const row of allRoutes) {
    if (row.owner !== name) continue;
    const operation = describe(row, declared.get(row.operationId) ?? {}, schemas);
    (paths[templateOf(row.path)] ??= {})[row.method.toLowerCase()] = operation;
  }
  return { paths, schemas };
}

/** Parameter schemas by operation id, of all controllers of a module and of the modules it imports. */
function declaredSchemas(module: Type): Map<string, Declared> {
  const found = new Map<string, Declared>();
  for (const controller of controllersOf(module)) {
    const prototype = controller.prototype as object;
    for (const key of Object.getOwnPropertyNames(prototype)) {
      const handler = Object.getOwnPropertyDescriptor(prototype, key)?.value as unknown;
      if (typeof handler !== 'function') continue;
      const row = Reflect.getMetadata(ROUTE, handler) as OwnedRouteRow | undefined;
      if (row) found.set(row.operationId, declaredAt(controller, key));
    }
  }
  return found;
}

function controllersOf(module: Type): Type[] {
  const metadata = (key: string): Type[] => (Reflect.getMetadata(key, module) as Type[] | undefined) ?? [];
  const imported = metadata(MODULE_METADATA.IMPORTS).filter((entry) => typeof entry === 'function');
  return [...metadata(MODULE_METADATA.CONTROLLERS), ...imported.flatMap(controllersOf)];
}

function declaredAt(controller: Type, method: string): Declared {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { schema?: unknown }
  >;
  const schemaOf = (kind: RouteParamtypes): z.ZodType | undefined => {
    const entries = Object.entries(args).filter(([key]) => key.startsWith(`${kind}:`));
    return entries.map(([, { schema }]) => schema).find((schema) => schema instanceof z.ZodType);
  };
  return {
    body: schemaOf(RouteParamtypes.BODY),
    query: schemaOf(RouteParamtypes.QUERY),
    param: schemaOf(RouteParamtypes.PARAM),
  };
}

function describe(row: OwnedRouteRow, declared: Declared, sink: SchemaSink): JsonSchema {
  const document = operations[row.operationId as keyof typeof operations];
  const body = declared.body ?? document.body;
  const query = declared.query ?? document.query;
  return {
    operationId: row.operationId,
    tags: [row.owner],
    summary: document.summary,
    ...(row.minRole > 1 && { description: `Needs role ${row.minRole} or above.` }),
    security: security[row.auth],
    parameters: [...pathParameters(row, declared, sink), ...queryParameters(query, sink)],
    ...(body && { requestBody: { required: true, content: json(toApiSchema(body, 'input', sink)) } }),
    responses: responsesOf(row, document, sink),
  };
}

/** `/a/:id` → `/a/{id}`; a trailing wildcard becomes `{rest}`. */
const templateOf = (path: string): string => path.replaceAll(/:([A-Za-z]\w*)/g, '{$1}').replace(/\*$/, '{rest}');

function pathParameters({ path }: OwnedRouteRow, { param }: Declared, sink: SchemaSink): JsonSchema[] {
  const properties = propertiesOf(param, sink);
  const names = [...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  return names.map((name) => ({ name, in: 'path', required: true, schema: properties[name] ?? { type: 'string' } }));
}

function queryParameters(query: z.ZodType | undefined, sink: SchemaSink): JsonSchema[] {
  if (!query) return [];
  const { required = [] } = toApiSchema(query, 'input', sink) as { required?: string[] };
  return Object.entries(propertiesOf(query, sink)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

const propertiesOf = (schema: z.ZodType | undefined, sink: SchemaSink): Record<string, JsonSchema> =>
  schema ? ((toApiSchema(schema, 'input', sink).properties ?? {}) as Record<string, JsonSchema>) : {};

/** Calls of the console answer errors with 200 as well; `success` distinguishes them. */
function responsesOf(row: OwnedRouteRow, document: OperationDocument, sink: SchemaSink): JsonSchema {
  const { errorFormat, headers } = document;
  const errorReply = ref(errorFormat ? errorNames[errorFormat] : 'Refusal');
  const success = successOf(document, sink);
  const content = json(errorFormat ? success : { anyOf: [success, errorReply] });
  if (document.streams) content['text/event-stream'] = { schema: { type: 'string' } };
  return {
    200: {
      description: errorFormat ? 'Success.' : 'Success, or a refusal: `success` tells.',
      ...(headers && { headers: headersOf(headers) }),
      content,
    },
    ...refusedResponses(row, json(errorReply)),
  };
}

const errorNames = { openai: 'OpenAiError', anthropic: 'AnthropicError', gemini: 'GeminiError' } as const;

function refusedResponses({ auth, rate, invalidStatus }: OwnedRouteRow, content: JsonSchema): JsonSchema {
  const responses: JsonSchema = { default: { description: 'Any other failure.', content } };
  if (invalidStatus) responses[invalidStatus] = { description: 'The request is not valid.', content };
  if (auth !== 'none' && auth !== 'optional')
    responses[401] = { description: 'Not signed in, or no valid key.', content };
  if (rate !== 'none')
    responses[429] = { description: 'Too many requests; `Retry-After` says when to come again.', content };
  return responses;
}

function successOf({ data, reply }: OperationDocument, sink: SchemaSink): JsonSchema {
  if (reply) return toApiSchema(reply, 'output', sink);
  if (!data) return ref('Success');
  return {
    allOf: [
      ref('Success'),
      { type: 'object', properties: { data: toApiSchema(data, 'output', sink) }, required: ['data'] },
    ],
  };
}

const headersOf = (headers: Record<string, string>): JsonSchema =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

import { type ApiFragment, type JsonSchema, errorReplySchema, type ServiceName } from '@tollgate/contracts';
import { type SchemaSink, toApiSchema } from './openapi-schema.js';

export type OpenApiDocument = JsonSchema & {
  paths: ApiFragment['paths'];
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> };
};

const tagTexts: Record<ServiceName, string> = {
  gateway: 'The edge.',
  identity: 'Users, sessions, options, set-up and status.',
  billing: 'Tokens, prices, groups and balances.',
  channel: 'Upstream channels and their models.',
  relay: 'The model API.',
  logging: 'Usage log and dashboard.',
};

const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'Set by a sign-in.' },
  accessToken: { type: 'http', scheme: 'bearer', description: 'The system access token of a user.' },
  userId: {
    type: 'apiKey',
    in: 'header',
    name: 'New-Api-User',
    description: 'The id of the signed-in user; goes with the session and with the access token.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token, `sk-…`. Anthropic clients may send it as `x-api-key`.',
  },
};

const text = { type: 'string' };
const success: JsonSchema = {
  type: 'object',
  description: 'What every successful console call answers; `data` where there is any.',
  properties: { success: { const: true }, message: text, data: {} },
  required: ['success', 'message'],
};
const openAiError: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        message: text,
        type: text,
        param: { type: ['string', 'null'] },
        code: { type: ['string', 'null'] },
      },
      required: ['message', 'type'],
    },
  },
  required: ['error'],
};
const anthropicError: JsonSchema = {
  type: 'object',
  properties: {
    type: { const: 'error' },
    error: { type: 'object', properties: { type: text, message: text }, required: ['type', 'message'] },
    request_id: text,
  },
  required: ['type', 'error'],
};

const geminiError: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: text, status: text },
      required: ['code', 'message', 'status'],
    },
  },
  required: ['error'],
};

/** Merges the fragments of all services into one document. Schema names cannot collide, because they all come from contracts. */
export function mergeFragments(
  fragments: readonly (readonly [ServiceName, ApiFragment])[],
  version: string,
): OpenApiDocument {
  const schemas: SchemaSink = {
    Success: success,
    OpenAiError: openAiError,
    AnthropicError: anthropicError,
    GeminiError: geminiError,
  };
  // Keep the name `Refusal`: clients have been generated from the document under it.
  schemas.Refusal = toApiSchema(errorReplySchema, 'output', schemas);
  const paths: ApiFragment['paths'] = {};
  for (const [, fragment] of fragments) {
    Object.assign(schemas, fragment.schemas);
    for (const [path, methods] of Object.entries(fragment.paths)) paths[path] = { ...paths[path], ...methods };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate',
      version,
      description:
        'Every documented call. Paths answer with and without a trailing slash; every answer carries `X-Oneapi-Request-Id`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: fragments
      .filter(([, { paths: own }]) => Object.keys(own).length > 0)
      .map(([name]) => ({ name, description: tagTexts[name] })),
    paths: sorted(paths),
    components: { schemas: sorted(schemas), securitySchemes },
  };
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));

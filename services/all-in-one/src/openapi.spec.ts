import { describe, expect, it } from '@jest/globals';
import { allRoutes, type OwnedRouteRow } from '@tollgate/contracts';
import { loadOpenApi } from '@tollgate/chassis';
import { allServices } from './index.js';

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content: Record<string, { schema: object }> }>;
  security: Record<string, unknown>[];
}

const { describeService, mergeFragments } = await loadOpenApi();
const fragments = allServices.map(({ name, module }) => [name, describeService(name, module)] as const);
const document = mergeFragments(fragments, '0.0.0');
const template = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}');
const operationOf = (row: OwnedRouteRow): Operation | undefined =>
  document.paths[template(row.path)]?.[row.method.toLowerCase()] as Operation | undefined;
const idOf = ({ operationId }: OwnedRouteRow): string => operationId;
const every: Operation[] = Object.values(document.paths).flatMap(
  (methods) => Object.values(methods) as unknown as Operation[],
);

/** All values of a key, at any depth. */
function under(key: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [...(name === key ? [inner] : []), ...under(key, inner)]);
}

describe('the OpenAPI document of all services', () => {
  it('has an operation for every row of the route table, and no other', () => {
    expect(allRoutes.filter((row) => operationOf(row)?.operationId !== row.operationId).map(idOf)).toEqual([]);
    expect(every).toHaveLength(allRoutes.length);
  });

  it('puts every operation under its owner, with a summary', () => {
    const misplaced = allRoutes.filter((row) => operationOf(row)?.tags[0] !== row.owner || !operationOf(row)?.summary);
    expect(misplaced.map(idOf)).toEqual([]);
  });

  it('declares every parameter of a path', () => {
    for (const row of allRoutes) {
      const inPath = operationOf(row)?.parameters.filter((parameter) => parameter.in === 'path') ?? [];
      const named = [...template(row.path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([row.operationId, ...inPath.map(({ name }) => name)]).toEqual([row.operationId, ...named]);
    }
  });

  it('says what is sent wherever a body is', () => {
    const bodiless = [
      'createDemonstration',
      'deleteDisabledChannels',
      'fixAbilities',
      'resetModelRatio',
      'testChannels',
      'updateBalances',
      'withdrawApproval',
    ];
    const silent = allRoutes.filter((row) => ['POST', 'PUT'].includes(row.method) && !operationOf(row)?.requestBody);
    expect(silent.map(idOf).filter((id) => !bodiless.includes(id))).toEqual([]);
    expect(operationOf(allRoutes.find((row) => row.operationId === 'createToken') as OwnedRouteRow)).toMatchObject({
      requestBody: {
        content: { 'application/json': { schema: { properties: { name: { type: 'string' } }, required: ['name'] } } },
      },
    });
  });

  it('takes lenient query fields for optional and knows their type', () => {
    const list = every.find(({ operationId }) => operationId === 'listLogs');
    expect(list?.parameters).toContainEqual({ name: 'p', in: 'query', required: false, schema: { type: 'number' } });
    const vague = every.filter(({ parameters }) => parameters.some(({ schema }) => Object.keys(schema).length === 0));
    expect(vague.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('demands of each caller what the gateway demands', () => {
    const security = (id: string) => every.find(({ operationId }) => operationId === id)?.security;
    expect(security('getStatus')).toEqual([]);
    expect(security('getSelf')).toEqual([
      { session: [], userId: [] },
      { accessToken: [], userId: [] },
    ]);
    expect(security('createChatCompletion')).toEqual([{ apiKey: [] }]);
    const known = Object.keys(document.components.securitySchemes);
    expect(
      every.flatMap((operation) => operation.security.flatMap(Object.keys)).filter((name) => !known.includes(name)),
    ).toEqual([]);
  });

  it('refers only to schemas that are there', () => {
    const missing = under('$ref', document).filter(
      (ref) => !Object.hasOwn(document.components.schemas, String(ref).split('/').at(-1) ?? ''),
    );
    expect(missing).toEqual([]);
    expect(document.components.schemas).toHaveProperty('Refusal');
    expect(document.components.schemas).toHaveProperty('User.properties.username');
  });

  it('lets the console tell a success from a refusal, and a model client read the error of its dialect', () => {
    const schemaOf = (id: string, status: string) =>
      every.find(({ operationId }) => operationId === id)?.responses[status]?.content['application/json']?.schema;
    expect(schemaOf('listTokens', '200')).toMatchObject({
      anyOf: [
        {
          allOf: [
            { $ref: '#/components/schemas/Success' },
            { properties: { data: { items: { $ref: '#/components/schemas/Token' } } } },
          ],
        },
        { $ref: '#/components/schemas/Refusal' },
      ],
    });
    expect(schemaOf('createMessage', '429')).toEqual({ $ref: '#/components/schemas/AnthropicError' });
    expect(schemaOf('createChatCompletion', '401')).toEqual({ $ref: '#/components/schemas/OpenAiError' });
  });

  it('never shows a schema that accepts just anything where a body is declared', () => {
    const vague = every.filter(
      ({ requestBody }) =>
        requestBody && Object.keys(requestBody.content['application/json']?.schema ?? {}).length === 0,
    );
    expect(vague.map(({ operationId }) => operationId)).toEqual([]);
  });
});

import { namedSchemas } from '@tollgate/contracts';
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** Collects the named schemas that others refer to. */
export type SchemaSink = Record<string, JsonSchema>;

const names = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(namedSchemas)) names.add(schema, { id });

const DEFINITION = '#/$defs/';
const COMPONENT = '#/components/schemas/';

interface Generated extends JsonSchema {
  $defs?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

/** A zod schema as OpenAPI 3.1 takes it (JSON Schema 2020-12): what a client sends (`input`) or receives (`output`). */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', sink: SchemaSink): JsonSchema {
  // Inside a list even a schema that has a name itself becomes a reference.
  const { $defs = {}, items = {} } = z.toJSONSchema(z.array(schema), {
    io,
    metadata: names,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => tidy(zodSchema, jsonSchema as JsonSchema, io),
  }) as Generated;
  for (const [name, definition] of Object.entries($defs)) sink[name] = withComponents(definition);
  return withComponents(items);
}

function tidy(zodSchema: z.core.$ZodType, json: JsonSchema, io: 'input' | 'output'): void {
  delete json.id;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  const { def } = zodSchema._zod;
  if (def.type !== 'object') return;
  // Fields may be added to any reply.
  if (json.additionalProperties === false) delete json.additionalProperties;
  if (io === 'input') requireWhatIsNeeded((def as z.core.$ZodObjectDef).shape, json);
}

/** Lenient fields look required to the generator although they take nothing for an answer. */
function requireWhatIsNeeded(shape: z.core.$ZodShape, json: JsonSchema): void {
  const required = Object.keys(shape).filter((key) => {
    const field = shape[key];
    return field !== undefined && !z.safeParse(field, undefined).success;
  });
  if (required.length > 0) json.required = required;
  else delete json.required;
}

/** `$ref`s of one schema's own definitions become those of the document. */
function withComponents<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === '$ref' && typeof inner === 'string' && inner.startsWith(DEFINITION)
        ? COMPONENT + inner.slice(DEFINITION.length)
        : inner,
    ),
  ) as T;
}

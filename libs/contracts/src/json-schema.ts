import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

export interface JsonSchemaOptions {
  /** What somebody sends (`input`) or receives (`output`). */
  io: 'input' | 'output';
  /** Schemas that become definitions of their own. */
  names?: z.core.$ZodRegistry<{ id: string }>;
  target?: 'draft-2020-12' | 'draft-7';
}

/** The JSON Schema of a zod schema, without what only the generator knows. */
export function toJsonSchema(
  schema: z.ZodType,
  { io, names, target = 'draft-2020-12' }: JsonSchemaOptions,
): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    target,
    metadata: names ?? z.registry(),
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => tidy(zodSchema, jsonSchema as JsonSchema, io),
  }) as JsonSchema;
}

function tidy(zodSchema: z.core.$ZodType, json: JsonSchema, io: 'input' | 'output'): void {
  delete json.id;
  // The format says it already, in fewer words.
  if (json.format !== undefined) delete json.pattern;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  const { def } = zodSchema._zod;
  if (def.type !== 'object') return;
  // Fields may be added to any reply and to any event.
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

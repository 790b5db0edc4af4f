import { errorKinds } from '@tollgate/contracts/error-kinds';
import type { ErrorReply } from '@tollgate/contracts/envelope';
import { isObject } from './is-object.js';

type Params = NonNullable<ErrorReply['params']>;
type Field = NonNullable<ErrorReply['fields']>[number];

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isParam = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

function paramsOf(value: unknown): Params | undefined {
  if (!isObject(value) || Array.isArray(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([, param]) => isParam(param))) as Params;
}

function fieldsOf(value: unknown): Field[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((field: unknown) => {
    const { path, code, params } = isObject(field) ? field : {};
    if (typeof path !== 'string' || typeof code !== 'string') return [];
    return [known({ path, code, params: paramsOf(params) })];
  });
}

/** Without the members that are `undefined`, so that defaults before a spread remain. */
const known = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;

/**
 * The well-formed members of an error reply. A spec compares it with the schema of the contract, which is not used here: its library would
 * be in the files of every first view, and the schema refuses a reply as a whole, so that nothing could be said.
 */
export function readErrorReply(body: unknown): Partial<Omit<ErrorReply, 'success'>> {
  if (!isObject(body)) return {};
  return known({
    message: textOf(body.message),
    code: textOf(body.code),
    kind: errorKinds.find((kind) => kind === body.kind),
    params: paramsOf(body.params),
    fields: fieldsOf(body.fields),
  });
}

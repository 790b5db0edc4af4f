import type { HttpMethod } from '@tollgate/contracts';

/** The minimum role of the caller. */
export type Caller = 'visitor' | 'user' | 'administrator';
/** The type of `data` in a successful reply. `unsaid`: not documented, or no data. */
export type DataKind = 'list' | 'page' | 'object' | 'text' | 'number' | 'unsaid';

export interface DocumentedCall {
  method: HttpMethod;
  /** With the documented query; `{name}` is replaced by an id or text that the test has created. */
  path: string;
  by: Caller;
  body?: Readonly<Record<string, unknown>>;
  data: DataKind;
  /** Documented fields of an object, or of each entry of a list or page. */
  fields?: readonly string[];
  /** Fields of the reply besides `data`. */
  beside?: readonly string[];
  /** Needs an external party that the test does not have, e.g. an identity provider, so an error reply is accepted. */
  mayRefuse?: true;
  /** Replies with an event stream instead of the envelope; only its access check is tested. */
  streams?: true;
}

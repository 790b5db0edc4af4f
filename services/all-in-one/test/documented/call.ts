import type { HttpMethod } from '@tollgate/contracts';

/** The least a caller has to be. */
export type Caller = 'visitor' | 'user' | 'administrator';
/** What `data` holds in a success. `unsaid`: the documents do not say, or there is none. */
export type DataKind = 'list' | 'page' | 'object' | 'text' | 'number' | 'unsaid';

export interface DocumentedCall {
  method: HttpMethod;
  /** With the documented query; `{name}` stands for an id or text of the walk's own. */
  path: string;
  by: Caller;
  body?: Readonly<Record<string, unknown>>;
  data: DataKind;
  /** Documented names in an object, or in each entry of a list or page that has any. */
  fields?: readonly string[];
  /** Members beside `data`. */
  beside?: readonly string[];
  /** Needs somebody who is not there in the walk, a provider of sign-ins say: a refusal in words is an answer too. */
  mayRefuse?: true;
  /** Not in the envelope but as events; only who is let in is walked. */
  streams?: true;
}

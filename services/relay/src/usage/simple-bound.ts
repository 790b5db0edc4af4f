import { modelLimits } from '@tollgate/pricing';
import { alwaysSearches } from '@tollgate/providers';
import type { RequestBound } from './bound.js';
import { type BoundedRequest, countOf, minimumAt } from './request-bound.js';

/** The parts of a bound that depend on the names of the models alone. */
interface NamesBound {
  maximum: number;
  minimum: number;
  /** Some of the models search before every answer. */
  searches: boolean;
}

/** By the list of names, which is the same object for all requests to the same channels. */
const known = new WeakMap<readonly string[], NamesBound>();

function boundOfNames(models: readonly string[]): NamesBound {
  let found = known.get(models);
  if (!found) {
    const minimum = minimumAt(models);
    const maximum = Math.max(minimum, ...models.map((model) => modelLimits(model).outputTokens));
    known.set(models, (found = { maximum, minimum, searches: models.some(alwaysSearches) }));
  }
  return found;
}

/**
 * What `requestBound` returns for a simple chat (see `isSimpleChat`), computed without visiting its messages.
 * `undefined` where a candidate channel changes what the request costs, by overrides, searches or otherwise.
 */
export function simpleBound(request: BoundedRequest): RequestBound | undefined {
  const { json, size, models, sent = models, overrides = [], readings = [] } = request;
  if (overrides.length > 0 || readings.length > 0 || request.heedsNoLimit || request.hasOwnContext) return undefined;
  const { maximum, minimum, searches } = boundOfNames(models);
  if (searches || (sent !== models && boundOfNames(sent).searches)) return undefined;
  const limit = Math.max(countOf(json.max_tokens), countOf(json.max_completion_tokens));
  return {
    prompt: { textTokens: size, imageTokens: 0, audioTokens: 0 },
    choices: 1,
    predicted: 0,
    limit: limit > 0 ? Math.max(minimum, limit) : 0,
    maximum,
    minimum,
  };
}

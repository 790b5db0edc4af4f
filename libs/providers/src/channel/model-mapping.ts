import { RequestRejected } from '../adapter.js';

/**
 * Follows a channel's mapping from the requested name to the upstream's. A name mapped to itself ends the chain; any other repetition is a
 * cycle, which is refused.
 */
export function resolveModel(mapping: Readonly<Record<string, string>>, requested: string): string {
  const visited = new Set([requested]);
  let model = requested;
  for (;;) {
    const next = Object.hasOwn(mapping, model) ? mapping[model] : undefined;
    if (!next || next === model) return model;
    if (visited.has(next)) throw new RequestRejected('model_mapping_contains_cycle', 'model_mapping_contains_cycle');
    visited.add(next);
    model = next;
  }
}

import { RequestRejected } from '../adapter.js';

export interface ResolvedModel {
  model: string;
  isMapped: boolean;
}

/**
 * Follows a channel's mapping from the requested name to the upstream's. A name mapped to itself ends the chain; any other repetition is a
 * cycle, which is refused.
 */
export function resolveModel(mapping: Readonly<Record<string, string>>, requested: string): ResolvedModel {
  const visited = new Set([requested]);
  let model = requested;
  for (;;) {
    const next = Object.hasOwn(mapping, model) ? mapping[model] : undefined;
    if (!next || next === model) return { model, isMapped: model !== requested };
    if (visited.has(next)) throw new RequestRejected('model_mapping_contains_cycle', 'model_mapping_contains_cycle');
    visited.add(next);
    model = next;
  }
}

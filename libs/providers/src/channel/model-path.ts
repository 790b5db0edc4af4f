import { RequestRejected } from '../faults/request-faults.js';

/** `URL` removes these from a path, also where they are encoded, and with `..` the segment before it. */
const isDots = (segment: string): boolean => segment === '.' || segment === '..';

/**
 * A model's name as part of an address. Its slashes separate segments, as in `@cf/meta/llama`, so a name that could lead out of its place is
 * refused: clients choose the end of some names.
 */
export function modelPath(model: string): string {
  const segments = model.split('/');
  if (!model.isWellFormed() || segments.some(isDots))
    throw new RequestRejected('invalid_text_request', `model ${model} cannot be part of an address`, 'model');
  return segments.map((segment) => encodeURIComponent(segment).replace(/%40|%3A/g, decodeURIComponent)).join('/');
}

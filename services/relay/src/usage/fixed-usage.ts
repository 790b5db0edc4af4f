import type { Usage } from '@tollgate/contracts';
import { isPerPicture } from '@tollgate/pricing';
import { noUsage, type Terms } from '../call/outcome.js';
import type { RequestBound } from './request-bound.js';

interface Granted {
  bound: Pick<RequestBound, 'prompt'>;
  terms: Pick<Terms, 'price'>;
}

/** What a request uses whatever its upstream says, because it is charged by what was asked for: pictures by their number. */
export function fixedUsage({ bound, terms }: Granted): Usage | undefined {
  const { pictures } = bound.prompt;
  if (!pictures || !isPerPicture(pictures, terms.price)) return undefined;
  const { byTokens: _, ...asked } = pictures;
  return { ...noUsage, inputTokens: pictures.count, pictures: asked };
}

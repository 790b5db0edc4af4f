import type { Searches, Usage } from '@tollgate/contracts';
import type { RequestBound } from './bound.js';

const fewer = (made: number | undefined, held: number | undefined): number => Math.min(made ?? 0, held ?? 0);

/**
 * The searches to charge: those that the upstream reported, but of each kind at most as many as were requested and
 * held. In a chat searches are not reported; each answer begins with one.
 */
export function chargedSearches(
  stated: Searches | undefined,
  { isSearched, prompt: { searches: held } }: Pick<RequestBound, 'prompt' | 'isSearched'>,
): Pick<Usage, 'searches'> {
  const made = isSearched ? held : stated;
  if (!made || !held) return {};
  const web = fewer(made.web, held.web);
  const file = fewer(made.file, held.file);
  const google = fewer(made.google, held.google);
  if (web + file + google === 0) return {};
  const { webContext } = held;
  return {
    searches: {
      ...(web > 0 && { web, ...(webContext && { webContext }) }),
      ...(file > 0 && { file }),
      ...(google > 0 && { google }),
    },
  };
}

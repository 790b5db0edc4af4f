import type { Searches, Usage } from '@tollgate/contracts';

const fewer = (made: number | undefined, held: number | undefined): number => Math.min(made ?? 0, held ?? 0);

/** What is charged of the searches that an upstream made: no more of a kind than were asked for, and so held. */
export function chargedSearches(made: Searches | undefined, held: Searches | undefined): Pick<Usage, 'searches'> {
  if (!made || !held) return {};
  const web = fewer(made.web, held.web);
  const file = fewer(made.file, held.file);
  if (web + file === 0) return {};
  const { webContext } = held;
  return { searches: { ...(web > 0 && { web, ...(webContext && { webContext }) }), ...(file > 0 && { file }) } };
}

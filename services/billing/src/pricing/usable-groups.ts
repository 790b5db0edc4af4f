/** The description of the user's own group when the operator does not list it. */
const OWN_GROUP_TEXT = '用户分组';

/**
 * The groups that a caller may use, by name with their descriptions: the listed ones and the caller's own. `ownGroup`
 * is `undefined` for a visitor.
 */
export function usableGroups(
  listed: Readonly<Record<string, string>>,
  ownGroup: string | undefined,
): Record<string, string> {
  const groups = { ...listed };
  if (ownGroup && !Object.hasOwn(groups, ownGroup)) groups[ownGroup] = OWN_GROUP_TEXT;
  return groups;
}

/** The ratio of a group; 1 when none is set. */
export const groupRatioOf = (ratios: Readonly<Record<string, number>>, group: string): number =>
  Object.hasOwn(ratios, group) ? (ratios[group] ?? 1) : 1;

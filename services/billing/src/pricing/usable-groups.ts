/** How the user's own group reads when the operator does not list it. */
const OWN_GROUP_TEXT = '用户分组';

/** Name → description of the groups a caller may use: the listed ones and their own. `ownGroup` is undefined for a visitor. */
export function usableGroups(
  listed: Readonly<Record<string, string>>,
  ownGroup: string | undefined,
): Record<string, string> {
  const groups = { ...listed };
  if (ownGroup && !Object.hasOwn(groups, ownGroup)) groups[ownGroup] = OWN_GROUP_TEXT;
  return groups;
}

/** The ratio of a group; one nobody set a ratio for pays the plain price. */
export const groupRatioOf = (ratios: Readonly<Record<string, number>>, group: string): number =>
  Object.hasOwn(ratios, group) ? (ratios[group] ?? 1) : 1;

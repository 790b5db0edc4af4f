import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { MenuButton } from '../../components/overlays/menu-button.js';
import { GroupTags, type GroupTagsProps } from './price-cells.js';

/** Pixels: padding of a tag, the mark of the viewed group, the space between tags, the button for the others. */
const TAG = 12;
const MARK = 13;
const GAP = 4;
const MORE = 30;
const HAN = /[\u2e80-\uffef]/;

/** Width of a tag in pixels, rather too much than too little. */
const widthOf = (name: string, isViewed: boolean): number =>
  [...name].reduce((sum, letter) => sum + (HAN.test(letter) ? 12.5 : 7), TAG + (isViewed ? MARK : 0));

/**
 * The groups whose tags fit into `room` pixels beside a button for the others, the viewed one before all others; at
 * least one. All of them, in their order, where no such button is needed.
 */
export function fittingGroups(groups: string[], viewed: string, room: number): string[] {
  const needed = (names: string[]): number =>
    names.reduce((sum, name) => sum + widthOf(name, name === viewed) + GAP, -GAP);
  if (needed(groups) <= room) return groups;
  const inTurn = [...groups.filter((name) => name === viewed), ...groups.filter((name) => name !== viewed)];
  const most = inTurn.findIndex((_, index) => needed(inTurn.slice(0, index + 1)) + GAP + MORE > room);
  return inTurn.slice(0, Math.max(1, most));
}

/** The groups of a model in one line of a table; those without room are in a menu. */
export function TableGroups({ room, ...tags }: GroupTagsProps & { room: number }) {
  const { t } = useTranslation('pricing');
  const { groups, group, onGroup } = tags;
  const first = fittingGroups(groups, group, room);
  const rest = groups.length - first.length;
  return (
    <Box
      sx={{ display: 'flex', gap: `${GAP}px`, alignItems: 'center', minWidth: 0, '& [data-badge]': { minWidth: 0 } }}
    >
      <GroupTags {...tags} groups={first} />
      {rest > 0 && (
        <Box sx={{ flexShrink: 0, '& button': { p: 0.5, fontSize: '0.75rem', lineHeight: 1, borderRadius: '4px' } }}>
          <MenuButton
            label={t('moreGroups', { count: rest })}
            icon={<span>+{rest}</span>}
            entries={groups.map((name) => ({
              id: name,
              label: name,
              selected: name === group,
              run: () => onGroup(name),
            }))}
          />
        </Box>
      )}
    </Box>
  );
}

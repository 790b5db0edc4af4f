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

/** Below this room in pixels, the one tag and the button for the others are one button. */
const ROOM_FOR_TWO = 100;

const asTag = {
  minWidth: 0,
  '& button': {
    width: '100%',
    justifyContent: 'flex-start',
    px: 0.5,
    py: 0,
    borderRadius: '4px',
    fontSize: '0.75rem',
    lineHeight: '20px',
    color: 'tag.blue.text',
    bgcolor: 'tag.blue.background',
  },
} as const;

const asPlain = {
  flexShrink: 0,
  '& button': { p: 0.5, fontSize: '0.75rem', lineHeight: 1, borderRadius: '4px' },
} as const;

function ShortName({ name, rest }: { name: string; rest: number }) {
  return (
    <>
      <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis', mr: 0.5 }}>
        {name}
      </Box>
      <span>+{rest}</span>
    </>
  );
}

/** The groups of a model in one line of a table with `room` pixels; those that do not fit are in a menu. */
export function TableGroups({ room, ...tags }: GroupTagsProps & { room: number }) {
  const { t } = useTranslation('pricing');
  const { groups, group, onGroup } = tags;
  const first = fittingGroups(groups, group, room);
  const rest = groups.length - first.length;
  if (rest === 0)
    return (
      <Box sx={{ display: 'flex', gap: `${GAP}px` }}>
        <GroupTags {...tags} />
      </Box>
    );
  const more = t('moreGroups', { count: rest });
  const entries = groups.map((name) => ({
    id: name,
    label: name,
    selected: name === group,
    run: () => onGroup(name),
  }));
  if (room < ROOM_FOR_TWO)
    return (
      <Box sx={asTag}>
        <MenuButton
          label={`${first.join()} +${rest}: ${more}`}
          icon={<ShortName name={first.join()} rest={rest} />}
          entries={entries}
        />
      </Box>
    );
  return (
    <Box sx={{ display: 'flex', gap: `${GAP}px`, alignItems: 'center', '& [data-badge]': { minWidth: 0 } }}>
      <GroupTags {...tags} groups={first} />
      <Box sx={asPlain}>
        <MenuButton label={`+${rest}: ${more}`} icon={<span>+{rest}</span>} entries={entries} />
      </Box>
    </Box>
  );
}

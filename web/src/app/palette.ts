/** The colours of the design language, light and dark. A test recomputes every contrast ratio from these objects. */

const tagLight = {
  amber: ['#875A01', '#FEEDD7'],
  blue: ['#3563AE', '#E9F1FD'],
  cyan: ['#0B6F78', '#D6F8FB'],
  green: ['#0D7435', '#E0F7E4'],
  grey: ['#5B646F', '#EDF0F4'],
  indigo: ['#535AAD', '#EDEFFD'],
  lightBlue: ['#0A6B90', '#E2F3FD'],
  lime: ['#576C05', '#ECF4DB'],
  orange: ['#9E4C03', '#FEECE2'],
  pink: ['#9C4372', '#FDEAF2'],
  purple: ['#834D9A', '#F8EAFF'],
  red: ['#A54440', '#FDECEA'],
  teal: ['#017160', '#D8F8F0'],
  violet: ['#6D54A8', '#F1EDFE'],
  yellow: ['#766202', '#F7F0D6'],
} as const;

export type TagColor = keyof typeof tagLight;
type Pair = readonly [text: string, background: string];

const tagDark: Record<TagColor, Pair> = {
  amber: ['#D3A056', '#3B2706'],
  blue: ['#82ACF0', '#1B2B47'],
  cyan: ['#3FBFCC', '#043236'],
  green: ['#76BE86', '#15331C'],
  grey: ['#A4ACB4', '#272C31'],
  indigo: ['#99A4F0', '#252846'],
  lightBlue: ['#59B7E4', '#053042'],
  lime: ['#9FB665', '#272F0D'],
  orange: ['#E49869', '#41230F'],
  pink: ['#E18FB6', '#3F1F2F'],
  purple: ['#C797DC', '#36223E'],
  red: ['#EA9089', '#431F1D'],
  teal: ['#4DC1AB', '#03332B'],
  violet: ['#B09DE9', '#2D2544'],
  yellow: ['#C0AA54', '#342B04'],
};

/** The alphabetical list that identity colours index modulo 15; `light-blue` of the spec is `lightBlue` here. */
export const tagColors = Object.keys(tagLight) as TagColor[];

const toTags = (pairs: Record<TagColor, Pair>) =>
  Object.fromEntries(tagColors.map((name) => [name, { text: pairs[name][0], background: pairs[name][1] }])) as Record<
    TagColor,
    { text: string; background: string }
  >;

export const lightPalette = {
  background: { default: '#F5F7FA', paper: '#FFFFFF', sunken: '#EBEFF4', raised: '#FFFFFF' },
  text: { primary: '#17202B', secondary: '#4A5768', tertiary: '#5D6B7D', disabled: '#9AA5B3' },
  divider: '#DCE2EA',
  border: { subtle: '#DCE2EA', control: '#7A8696' },
  focus: '#1F5BD0',
  primary: { main: '#1F5BD0', contrastText: '#FFFFFF', soft: '#E9EFFA', dark: '#17479F', light: '#4C7FE3' },
  success: { main: '#1B7A43', contrastText: '#FFFFFF', soft: '#E8F2EC' },
  warning: { main: '#8F5A00', contrastText: '#FFFFFF', soft: '#F4EFE6' },
  error: { main: '#BF2C2C', contrastText: '#FFFFFF', soft: '#F9EAEA' },
  info: { main: '#0B6A8F', contrastText: '#FFFFFF', soft: '#E7F0F4' },
  row: { hover: '#F6F6F7', selected: '#EDF2FB', disabled: '#F8F8F9' },
  chart: {
    1: '#345BCF',
    2: '#7A0C2E',
    3: '#C472A1',
    4: '#B74D49',
    5: '#249072',
    6: '#015161',
    7: '#959105',
    8: '#A076F6',
    other: '#7A8595',
    grid: '#E6EAF0',
  },
  tag: toTags(tagLight),
};

export type ConsolePalette = typeof lightPalette;

export const darkPalette: ConsolePalette = {
  background: { default: '#0E1217', paper: '#151B23', sunken: '#0A0D12', raised: '#1D2530' },
  text: { primary: '#E6EBF2', secondary: '#A8B4C2', tertiary: '#8794A4', disabled: '#5B6776' },
  divider: '#2A3440',
  border: { subtle: '#2A3440', control: '#6F7C8D' },
  focus: '#83AEFF',
  primary: { main: '#83AEFF', contrastText: '#0B1420', soft: '#273346', dark: '#5C8FEF', light: '#A9C7FF' },
  success: { main: '#5CC98A', contrastText: '#0B1420', soft: '#203733' },
  warning: { main: '#E8B04C', contrastText: '#0B1420', soft: '#37332A' },
  error: { main: '#FF8C82', contrastText: '#0B1420', soft: '#3A2D32' },
  info: { main: '#62C2E6', contrastText: '#0B1420', soft: '#213642' },
  row: { hover: '#22272F', selected: '#243042', disabled: '#1D232B' },
  chart: {
    1: '#85A3E8',
    2: '#F49625',
    3: '#B45F91',
    4: '#FEBFB9',
    5: '#1A9673',
    6: '#91DDFD',
    7: '#888338',
    8: '#8869D5',
    other: '#7A8796',
    grid: '#232C37',
  },
  tag: toTags(tagDark),
};

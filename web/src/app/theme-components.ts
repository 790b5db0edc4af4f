import type { Components, CssVarsTheme, Theme } from '@mui/material/styles';
import { printStyle } from './print-style.js';

type ThemeComponents = Components<Omit<Theme, 'components' | 'palette'> & CssVarsTheme>;

const floating = {
  backgroundColor: 'var(--tg-palette-background-raised)',
  border: '1px solid var(--tg-palette-border-subtle)',
  boxShadow: '0 8px 24px var(--tg-shadow-float)',
};
/** Their focus is in a hidden input, which cannot show it. */
const ring = {
  '&.Mui-focusVisible': { outline: '2px solid var(--tg-palette-focus)', outlineOffset: -2, borderRadius: 6 },
};
/** A track that stands out whatever it is set to, with the thumb inside it. */
const switchStyle = {
  padding: '3px 4px',
  '& .MuiSwitch-thumb': { width: 12, height: 12, boxShadow: 'none' },
  '& .MuiSwitch-track': { borderRadius: 9, opacity: 1, backgroundColor: 'var(--tg-palette-border-control)' },
  '& .MuiSwitch-switchBase': {
    padding: '6px 7px',
    color: 'var(--tg-palette-background-paper)',
    '&.Mui-checked': { transform: 'translateX(14px)', color: 'var(--tg-palette-primary-contrastText)' },
    '&.Mui-checked + .MuiSwitch-track': { opacity: 1, backgroundColor: 'var(--tg-palette-primary-main)' },
    '&.Mui-disabled + .MuiSwitch-track': { opacity: 0.5 },
  },
  '@media (forced-colors: active)': {
    '& .MuiSwitch-track': { border: '1px solid ButtonText' },
    '& .MuiSwitch-thumb': { backgroundColor: 'ButtonText', forcedColorAdjust: 'none' },
    '& .MuiSwitch-switchBase.Mui-checked + .MuiSwitch-track': {
      backgroundColor: 'Highlight',
      forcedColorAdjust: 'none',
    },
    '& .Mui-checked .MuiSwitch-thumb': { backgroundColor: 'HighlightText' },
  },
};
const coarse = '@media (pointer: coarse)';

/** The name of a family of our own, made of what the reader's machine has. */
export const MARKS = 'Tollgate marks';

/** Measures of the design language: 32-px controls (40 in auth forms, 44 for fingers), level by background and line, one shadow for what floats. */
export const components: ThemeComponents = {
  MuiButtonBase: { defaultProps: { disableRipple: true } },
  MuiPaper: {
    defaultProps: { elevation: 0 },
    styleOverrides: { root: { backgroundImage: 'none' } },
  },
  MuiButton: {
    defaultProps: { disableElevation: true },
    styleOverrides: {
      root: {
        minHeight: 32,
        padding: '4px 12px',
        minWidth: 0,
        [coarse]: { minHeight: 44 },
        // Where grounds are gone, what is pressed has a frame.
        '@media (forced-colors: active)': { '&[aria-pressed="true"]': { border: '1px solid Highlight' } },
      },
      outlined: { borderColor: 'var(--tg-palette-border-control)' },
      sizeLarge: { minHeight: 40 },
      contained: { '@media (forced-colors: active)': { border: '1px solid ButtonBorder' } },
    },
  },
  MuiIconButton: {
    styleOverrides: { root: { borderRadius: 6, padding: 6, [coarse]: { minWidth: 44, minHeight: 44 } } },
  },
  MuiTextField: { defaultProps: { size: 'small', fullWidth: true, slotProps: { inputLabel: { shrink: true } } } },
  MuiFormControl: { defaultProps: { size: 'small' } },
  MuiSelect: { defaultProps: { size: 'small' } },
  // As the native fields: a label of 12 px that never moves, in a frame of the same height.
  MuiInputLabel: {
    styleOverrides: {
      root: {
        '&.MuiInputLabel-outlined.MuiInputLabel-shrink': {
          fontSize: '0.75rem',
          lineHeight: '16px',
          transform: 'translate(13px, -8px)',
          maxWidth: 'calc(100% - 26px)',
        },
      },
    },
  },
  MuiOutlinedInput: {
    styleOverrides: {
      notchedOutline: { '& legend': { fontSize: '0.75rem' } },
      root: {
        '&:not(:hover):not(.Mui-focused):not(.Mui-error) .MuiOutlinedInput-notchedOutline': {
          borderColor: 'var(--tg-palette-border-control)',
        },
      },
      sizeSmall: {
        '& .MuiOutlinedInput-input:not(textarea)': {
          padding: '5px 12px',
          [coarse]: { paddingTop: 11, paddingBottom: 11 },
        },
        '&.MuiInputBase-adornedEnd .MuiOutlinedInput-input': { paddingRight: 0 },
      },
      multiline: { padding: '5px 12px' },
    },
  },
  MuiCheckbox: { defaultProps: { size: 'small' }, styleOverrides: { root: { padding: 6, ...ring } } },
  MuiSwitch: { styleOverrides: { switchBase: ring, sizeSmall: switchStyle } },
  MuiLinearProgress: { styleOverrides: { root: { backgroundColor: 'var(--tg-palette-border-subtle)' } } },
  MuiRadio: { defaultProps: { size: 'small' } },
  MuiChip: { styleOverrides: { root: { borderRadius: 4, height: 24 } } },
  MuiTypography: { defaultProps: { variantMapping: { stat: 'p', mono: 'span' } as Record<string, string> } },
  MuiMenu: { styleOverrides: { paper: floating } },
  MuiPopover: { styleOverrides: { paper: floating } },
  MuiDialog: { styleOverrides: { paper: { ...floating, borderRadius: 12 } } },
  // In line with the text above them.
  MuiDialogActions: { styleOverrides: { root: { padding: '8px 24px 16px' } } },
  MuiDrawer: {
    styleOverrides: {
      paper: { backgroundColor: 'var(--tg-palette-background-raised)', backgroundImage: 'none' },
    },
  },
  MuiAutocomplete: {
    styleOverrides: {
      paper: floating,
      root: {
        '& .MuiOutlinedInput-root.MuiInputBase-sizeSmall': {
          paddingTop: 1,
          paddingBottom: 1,
          paddingLeft: 4,
          '& .MuiAutocomplete-input': {
            padding: '5px 4px 5px 8px',
            [coarse]: { paddingTop: 11, paddingBottom: 11 },
          },
          // What was chosen stands clear of the label.
          '&:has(.MuiAutocomplete-tag)': { paddingTop: 7, paddingBottom: 3 },
        },
      },
    },
  },
  MuiTooltip: {
    defaultProps: { enterDelay: 300 },
    styleOverrides: {
      tooltip: { fontSize: '0.75rem', lineHeight: '1.125rem', backgroundColor: '#2A3440', color: '#FFFFFF' },
    },
  },
  MuiTab: { styleOverrides: { root: { minHeight: 40, minWidth: 0, padding: '8px 12px' } } },
  MuiTabs: {
    styleOverrides: {
      root: { minHeight: 40 },
      indicator: { '@media (forced-colors: active)': { backgroundColor: 'Highlight', forcedColorAdjust: 'none' } },
    },
  },
  MuiCssBaseline: {
    styleOverrides: {
      // Marks that a Chinese family draws as wide as a character of its own; English text takes them from a Latin one.
      '@font-face': {
        fontFamily: MARKS,
        src: ['Segoe UI', 'Helvetica Neue', 'Roboto', 'Noto Sans', 'Arial', 'Liberation Sans', 'DejaVu Sans']
          .map((family) => `local('${family}')`)
          .join(', '),
        unicodeRange: 'U+B7, U+2013-2014, U+2018-2019, U+201C-201D, U+2026',
      },
      ...printStyle,
      ':root': { '--tg-shadow-float': 'rgb(15 23 32 / 0.16)' },
      "[data-theme='dark']": { '--tg-shadow-float': 'rgb(0 0 0 / 0.5)' },
      // What is scrolled to or focused stands below the bar at the top, not behind it.
      html: { scrollPaddingTop: 72 },
      body: { fontVariantNumeric: 'tabular-nums', textAutospace: 'normal' },
      // A hint that is longer than its field says that there is more of it.
      'input:placeholder-shown': { textOverflow: 'ellipsis' },
      // Names have underscores, which stay apart from the line below them.
      a: { color: 'var(--tg-palette-primary-main)', textUnderlineOffset: 3 },
      'a:focus-visible, [tabindex]:focus-visible': {
        outline: '2px solid var(--tg-palette-focus)',
        outlineOffset: 2,
        borderRadius: 4,
      },
      // The library hides it by a style of the element: a chart had the focus, and nobody saw where it was.
      '[class*="MuiCharts"] [tabindex]:focus-visible': {
        outline: '2px solid var(--tg-palette-focus) !important',
        outlineOffset: -2,
      },
      // As specific as the ring above, or it would win.
      'main[tabindex]:focus-visible, h1[tabindex]:focus-visible, [role="dialog"][tabindex]:focus-visible': {
        outline: 'none',
      },
    },
  },
};

import type { Components, CssVarsTheme, Theme } from '@mui/material/styles';
import { printStyle } from './print-style.js';

type ThemeComponents = Components<Omit<Theme, 'components' | 'palette'> & CssVarsTheme>;

const floating = {
  backgroundColor: 'var(--tg-palette-background-raised)',
  border: '1px solid var(--tg-palette-border-subtle)',
  boxShadow: '0 8px 24px var(--tg-shadow-float)',
};
/** For controls whose focus is in a hidden input, which cannot show it. */
const ring = {
  '&.Mui-focusVisible': { outline: '2px solid var(--tg-palette-focus)', outlineOffset: -2, borderRadius: 6 },
};
/** A track that is as visible when switched off as when switched on, with the thumb inside it. */
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

/** Name of a font family that this theme defines from fonts installed on the reader's machine. */
export const MARKS = 'Tollgate marks';

/**
 * Sizes of the design language: controls of 32 px (40 in sign-in forms, 44 for touch); levels are shown by background and border, and only
 * floating elements have a shadow.
 */
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
        // Forced colours remove backgrounds, so a pressed button gets a border.
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
  // Like the native fields: a fixed label of 12 px inside a frame of the same height.
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
  MuiDialog: {
    styleOverrides: {
      paper: {
        ...floating,
        borderRadius: 12,
        // A form between the dialog and its parts, so that only the fields scroll and the buttons stay in view.
        '& > form': { display: 'flex', flexDirection: 'column', minHeight: 0 },
      },
    },
  },
  // Aligned with the text above the buttons.
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
          // Keeps the chosen tags clear of the label.
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
      // Chinese fonts draw this punctuation as wide as a Chinese character; English text takes it from a Latin font.
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
      // Elements that are scrolled to or focused appear below the top bar instead of behind it.
      html: { scrollPaddingTop: 72 },
      body: { fontVariantNumeric: 'tabular-nums', textAutospace: 'normal' },
      // An ellipsis shows that a placeholder is longer than its field.
      'input:placeholder-shown': { textOverflow: 'ellipsis' },
      // Keeps the underscores of names apart from the underline.
      a: { color: 'var(--tg-palette-primary-main)', textUnderlineOffset: 3 },
      'a:focus-visible, button:focus-visible, summary:focus-visible, [tabindex]:focus-visible': {
        outline: '2px solid var(--tg-palette-focus)',
        outlineOffset: 2,
        borderRadius: 4,
      },
      // The chart library removes the outline by an inline style, which left the focus on a chart invisible.
      '[class*="MuiCharts"] [tabindex]:focus-visible': {
        outline: '2px solid var(--tg-palette-focus) !important',
        outlineOffset: -2,
      },
      // Must be as specific as the focus outline above, which would win otherwise.
      'main[tabindex]:focus-visible, h1[tabindex]:focus-visible, [role="dialog"][tabindex]:focus-visible': {
        outline: 'none',
      },
    },
  },
};

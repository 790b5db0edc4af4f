import type {} from '@mui/material/themeCssVarsAugmentation';
import { enUS, zhCN } from '@mui/material/locale';
import { createTheme, enhanceHighContrast } from '@mui/material/styles';
import type { Language } from './i18n/language.js';
import type { ConsolePalette } from './palette.js';
import { darkPalette, lightPalette } from './palette.js';
import { MARKS, components } from './theme-components.js';

type Extra = Pick<ConsolePalette, 'border' | 'focus' | 'row' | 'chart' | 'tag'>;

declare module '@mui/material/styles' {
  interface Palette extends Extra {}
  interface PaletteOptions extends Partial<Extra> {}
  interface TypeBackground {
    sunken: string;
    raised: string;
  }
  interface TypeText {
    tertiary: string;
  }
  interface PaletteColor {
    soft: string;
  }
  interface SimplePaletteColorOptions {
    soft?: string;
  }
  interface TypographyVariants {
    stat: React.CSSProperties;
    mono: React.CSSProperties;
  }
  interface TypographyVariantsOptions {
    stat?: React.CSSProperties;
    mono?: React.CSSProperties;
  }
}
declare module '@mui/material/Typography' {
  interface TypographyPropsVariantOverrides {
    stat: true;
    mono: true;
  }
}

// Latin families come first: a Chinese family named first would also draw Latin letters and digits.
const sans =
  '"Segoe UI", -apple-system, BlinkMacSystemFont, Roboto, "Helvetica Neue", "Noto Sans", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei UI", "Microsoft YaHei", "Noto Sans SC", "Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", sans-serif';
const mono =
  'ui-monospace, SFMono-Regular, Menlo, "Cascadia Mono", Consolas, "Liberation Mono", "Noto Sans Mono CJK SC", monospace';

const text = (size: number, line: number, weight: 400 | 600) => ({
  fontSize: `${size / 16}rem`,
  lineHeight: `${line / 16}rem`,
  fontWeight: weight,
  letterSpacing: 0,
});

const typography = {
  fontFamily: sans,
  // Microsoft YaHei has no 500.
  fontWeightMedium: 600,
  fontWeightBold: 600,
  h5: text(20, 28, 600),
  h6: text(16, 24, 600),
  subtitle1: text(14, 22, 600),
  subtitle2: text(13, 20, 600),
  body1: text(14, 22, 400),
  body2: text(13, 20, 400),
  caption: text(12, 18, 400),
  button: { ...text(14, 22, 600), textTransform: 'none' as const },
  stat: { fontFamily: sans, ...text(24, 32, 600) },
  mono: { fontFamily: mono, ...text(13, 20, 400) },
};

/** Called only when the language changes. Switching between light and dark changes CSS variables and renders nothing again. */
export const buildTheme = (language: Language) =>
  enhanceHighContrast(
    createTheme(
      {
        cssVariables: { cssVarPrefix: 'tg', colorSchemeSelector: 'data-theme' },
        colorSchemes: { light: { palette: lightPalette }, dark: { palette: darkPalette } },
        // `down('sm')` must include 600 px.
        breakpoints: { values: { xs: 0, sm: 601, md: 960, lg: 1280, xl: 1600 } },
        spacing: 8,
        shape: { borderRadius: 6 },
        typography: language === 'zh' ? typography : { ...typography, fontFamily: `"${MARKS}", ${sans}` },
        motion: { reducedMotion: 'system' },
        focusVisible: { outlineColor: 'var(--tg-palette-focus)' },
        transitions: {
          duration: {
            shortest: 80,
            shorter: 120,
            short: 160,
            standard: 200,
            complex: 240,
            enteringScreen: 200,
            leavingScreen: 160,
          },
        },
        components,
      },
      language === 'zh' ? zhCN : enUS,
    ),
  );

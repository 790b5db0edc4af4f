import DarkIcon from '@mui/icons-material/DarkModeOutlined';
import LightIcon from '@mui/icons-material/LightModeOutlined';
import MenuIcon from '@mui/icons-material/Menu';
import SearchIcon from '@mui/icons-material/Search';
import TranslateIcon from '@mui/icons-material/Translate';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import { useColorScheme } from '@mui/material/styles';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useSay } from '../../app/i18n/text-keys.js';
import { MenuButton } from '../../components/overlays/menu-button.js';
import { useMedia, useMobile } from '../../components/basics/use-media.js';
import { currentLanguage } from '../../app/i18n/index.js';
import { changeLanguage } from '../change-language.js';
import { layerShown } from '../../app/slices/layer.js';
import { selectUser } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { AccountMenu } from './account-menu.js';
import { Brand } from './brand.js';
import { Festive } from './festive.js';
import { NavLink } from './nav-link.js';
import { topLinks } from './top-links.js';

export const BAR_HEIGHT = 56;
const modes = ['light', 'dark', 'system'] as const;
const modeKeys = { light: 'shell.themeLight', dark: 'shell.themeDark', system: 'shell.themeSystem' } as const;

function ThemeMenu() {
  const { t } = useTranslation();
  const { mode = 'system', systemMode, setMode } = useColorScheme();
  const dark = mode === 'dark' || (mode === 'system' && systemMode === 'dark');
  return (
    <MenuButton
      label={t('shell.theme')}
      icon={dark ? <DarkIcon fontSize="small" /> : <LightIcon fontSize="small" />}
      entries={modes.map((id) => ({ id, label: t(modeKeys[id]), selected: id === mode, run: () => setMode(id) }))}
    />
  );
}

const languages = ['zh', 'en'] as const;

function LanguageMenu() {
  const { t } = useTranslation();
  const dispatch = useAppDispatch();
  const current = currentLanguage();
  return (
    <MenuButton
      label={t('shell.language')}
      icon={<TranslateIcon fontSize="small" />}
      entries={languages.map((id) => ({
        id,
        // Each language is named in itself, so both dictionaries have the same names.
        label: t(`shell.languageName.${id}`),
        selected: id === current,
        run: () => void dispatch(changeLanguage(id)),
      }))}
    />
  );
}

function BarLinks() {
  const { t } = useTranslation();
  const say = useSay();
  const navigate = useNavigate();
  const roomy = useMedia('(min-width: 960px)');
  const links = topLinks(useAppSelector(selectStatus));
  const shown = roomy ? links : links.slice(0, 2);
  const rest = links.slice(shown.length);
  if (links.length === 0) return null;
  return (
    <Box component="nav" aria-label={t('nav.main')} sx={{ display: 'flex', gap: 0.5, ml: 2 }}>
      {shown.map(({ id, titleKey, to, external }) => (
        <NavLink key={id} layout="bar" to={to} external={external}>
          {say(titleKey)}
        </NavLink>
      ))}
      {rest.length > 0 && (
        <MenuButton
          label={t('nav.more')}
          entries={rest.map(({ id, titleKey, to, external }) => ({
            id,
            label: say(titleKey),
            run: () => (external ? void window.open(to, '_blank', 'noopener') : void navigate(to)),
          }))}
        />
      )}
    </Box>
  );
}

/** Opens the command palette; shows its shortcut if there is room. */
function SearchButton() {
  const { t } = useTranslation();
  const dispatch = useAppDispatch();
  const roomy = useMedia('(min-width: 960px)');
  if (useAppSelector(selectUser) === null) return null;
  return (
    <IconButton
      color="inherit"
      // The accessible name contains the visible text.
      aria-label={roomy ? `${t('shell.search')} Ctrl K` : t('shell.search')}
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => dispatch(layerShown('palette'))}
      sx={roomy ? { borderRadius: '8px', gap: 0.75, typography: 'caption' } : undefined}
    >
      <SearchIcon fontSize="small" />
      {roomy && <span aria-hidden>Ctrl K</span>}
    </IconButton>
  );
}

export function TopBar({ onMenu }: { onMenu: () => void }) {
  const { t } = useTranslation();
  const mobile = useMobile();
  const beforeSetup = useAppSelector(selectStatus).setup === false;
  return (
    <Box
      component="header"
      sx={{
        position: 'fixed',
        inset: '0 0 auto 0',
        height: BAR_HEIGHT,
        display: 'flex',
        alignItems: 'center',
        gap: 0.5,
        px: { xs: 1, sm: 2 },
        bgcolor: 'background.paper',
        borderBottom: '1px solid',
        borderColor: 'border.subtle',
        zIndex: (theme) => theme.zIndex.drawer + 1,
      }}
    >
      {mobile && !beforeSetup && (
        <IconButton aria-label={t('shell.openMenu')} onClick={onMenu} color="inherit">
          <MenuIcon fontSize="small" />
        </IconButton>
      )}
      <Brand />
      {!mobile && <BarLinks />}
      <Box sx={{ flex: 1 }} />
      <Festive />
      <SearchButton />
      <ThemeMenu />
      <LanguageMenu />
      <AccountMenu />
    </Box>
  );
}

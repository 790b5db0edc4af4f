import Box from '@mui/material/Box';
import Drawer from '@mui/material/Drawer';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../app/i18n/text-keys.js';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { NavLink } from './nav-link.js';
import { SideLinks } from './side-bar.js';
import { topLinks } from './top-links.js';

/** The menu of the narrow layout, with the items of the sidebar and the top bar. */
export function MobileMenu({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const say = useSay();
  const links = topLinks(useAppSelector(selectStatus));
  return (
    <Drawer
      open={open}
      onClose={onClose}
      sx={{ zIndex: 'modal' }}
      slotProps={{ paper: { sx: { width: 280, py: 1 }, 'aria-label': t('nav.main') } }}
    >
      <Box component="nav" aria-label={t('nav.main')}>
        <SideLinks onNavigate={onClose} />
        <Box sx={{ borderTop: '1px solid', borderColor: 'border.subtle', mt: 1, pt: 1 }}>
          {links.map(({ id, titleKey, to, external }) => (
            <NavLink key={id} layout="side" to={to} external={external} onNavigate={onClose}>
              {say(titleKey)}
            </NavLink>
          ))}
        </Box>
      </Box>
    </Drawer>
  );
}

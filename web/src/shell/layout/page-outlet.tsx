import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { useSay } from '../../app/i18n/text-keys.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Guard } from '../guard.js';
import type { PageRow } from '../../app/page-list.js';
import { DEFAULT_SYSTEM_NAME, selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { Footer } from './footer.js';
import { BAR_HEIGHT } from './top-bar.js';

const available = `calc(100dvh - ${BAR_HEIGHT}px)`;
/**
 * A page with a table fills the window, and the table scrolls; in a low or narrow window the page scrolls instead. On a phone, a page with
 * a conversation fills the window, too.
 */
const pageBox = {
  display: 'flex',
  flexDirection: 'column',
  minHeight: available,
  '@media (min-width: 601px) and (min-height: 700px)': {
    '&:has([data-fill="page"], [data-fill="phone"])': { height: available },
  },
  '@media (max-width: 600px) and (min-height: 480px)': { '&:has([data-fill="phone"])': { height: available } },
} as const;

const late = {
  opacity: 0,
  animation: 'tg-arrive 0s linear 150ms forwards',
  '@keyframes tg-arrive': { to: { opacity: 1 } },
} as const;

/** Placeholder for a page whose code or texts are being loaded. It appears after a delay, so that it is not seen if loading is fast. */
const Arriving = () => (
  <Box aria-hidden sx={late}>
    <Placeholder sx={{ width: 200, height: 28, mb: 2 }} />
    <Placeholder sx={{ height: 320 }} />
  </Box>
);

/** The main landmark of a page, with document title, guard and footer. */
export function PageOutlet({ row, children }: { row: PageRow; children: ReactNode }) {
  const { t } = useTranslation();
  const say = useSay();
  const { system_name: system } = useAppSelector(selectStatus);
  const { pathname } = useLocation();
  const title = t('shell.title', { page: say(row.titleKey), system: system || DEFAULT_SYSTEM_NAME });
  useEffect(() => {
    document.title = title;
  }, [title]);
  const bare = row.shell === 'bare';
  return (
    <Box sx={pageBox}>
      <Box
        component="main"
        id="main"
        tabIndex={-1}
        data-page={row.id}
        data-path={pathname}
        sx={{
          flex: 1,
          display: 'flex',
          flexDirection: 'column',
          minWidth: 0,
          minHeight: 0,
          p: bare ? 0 : { xs: 1.5, sm: 2, md: 3 },
        }}
      >
        <Guard row={row}>
          <Suspense fallback={<Arriving />}>{children}</Suspense>
        </Guard>
      </Box>
      <Footer publicPage={row.minRole === 0} />
    </Box>
  );
}

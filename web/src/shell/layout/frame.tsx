import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { SyntheticEvent } from 'react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, ScrollRestoration, useMatches } from 'react-router-dom';
import { useMobile } from '../../components/basics/use-media.js';
import { CommandLayer } from '../command/command-layer.js';
import { useExpiredSession } from '../guard.js';
import type { PageRow } from '../../app/page-list.js';
import { selectJobs } from '../../app/slices/jobs.js';
import { selectUser } from '../../app/slices/session.js';
import { selectStatusFailed } from '../../app/slices/status.js';
import { selectToasts } from '../../app/slices/toasts.js';
import { useAppSelector } from '../../app/store.js';
import { SIDEBAR_WIDTH, SideBar, useSidebarCollapsed } from './side-bar.js';
import { BAR_HEIGHT, TopBar } from './top-bar.js';
import { PrintHead } from './print-head.js';
import { Offline, useOffline } from '../offline.js';
import { NewVersion } from '../new-version.js';
import { Boundary } from '../../components/feedback/boundary.js';
import { LeaveGuard } from '../../components/overlays/dirty-guard.js';
import { OutsideDialogs } from '../../components/overlays/outside-dialogs.js';
import { useShellQueries } from './use-shell-queries.js';
import { Callout } from '../../components/feedback/callout.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const MobileMenu = lazyPart(async () => (await import('./mobile-menu.js')).MobileMenu);
const ToastStack = lazyPart(async () => (await import('../../components/feedback/toast-stack.js')).ToastStack, {
  above: true,
});
const ProgressDrawer = lazyPart(
  async () => (await import('../../components/feedback/progress-drawer.js')).ProgressDrawer,
  { above: true },
);

const skipLink = {
  position: 'fixed',
  top: 8,
  left: 8,
  px: 2,
  py: 1,
  zIndex: 'tooltip',
  bgcolor: 'background.raised',
  color: 'primary.main',
  transform: 'translateY(-200%)',
  '&:focus': { transform: 'none' },
} as const;

function SkipLink() {
  const { t } = useTranslation();
  const jump = (event: SyntheticEvent) => {
    event.preventDefault();
    document.getElementById('main')?.focus();
  };
  return (
    <Box component="a" href="#main" onClick={jump} sx={skipLink}>
      {t('shell.skip')}
    </Box>
  );
}

function Unreachable({ retry }: { retry: () => void }) {
  const { t } = useTranslation();
  return (
    <Callout
      severity="error"
      sx={{ borderRadius: 0 }}
      action={
        <Button color="inherit" onClick={retry}>
          {t('action.retry')}
        </Button>
      }
    >
      {t('shell.unreachable')}
    </Callout>
  );
}

/** What keeps the page from the server: no network, which the browser knows of, or no reply. */
function Connection({ retry }: { retry: () => void }) {
  const unreachable = useAppSelector(selectStatusFailed);
  const offline = useOffline();
  return (
    <>
      <Offline offline={offline} />
      {unreachable && !offline && <Unreachable retry={retry} />}
    </>
  );
}

/** Everything above the pages; each part is loaded when it is first needed. */
function Overlays() {
  const { t } = useTranslation();
  const toasts = useAppSelector(selectToasts);
  const jobs = useAppSelector(selectJobs);
  return (
    <>
      <OutsideDialogs>
        {/* Screen readers announce additions to a live region that already exists, so the region is always there. */}
        <section aria-label={t('toast.region')} aria-live="polite">
          {toasts.length > 0 && (
            <Boundary>
              <Suspense fallback={null}>
                <ToastStack />
              </Suspense>
            </Boundary>
          )}
        </section>
      </OutsideDialogs>
      {jobs.length > 0 && (
        <Boundary>
          <Suspense fallback={null}>
            <ProgressDrawer />
          </Suspense>
        </Boundary>
      )}
    </>
  );
}

/** Focuses the heading when the page changes, but not when only the query changes or when the page itself has set the focus. */
function useArrival(id: string | undefined): void {
  const before = useRef(id);
  useEffect(() => {
    if (id === before.current) return;
    before.current = id;
    const main = document.getElementById('main');
    if (main?.contains(document.activeElement)) return;
    main?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [id]);
}

/** The top bar, the sidebar, the toasts and the page. */
export function Frame() {
  const { refetchStatus } = useShellQueries();
  useExpiredSession();
  const row = useMatches().at(-1)?.handle as PageRow | undefined;
  useArrival(row?.id);
  const user = useAppSelector(selectUser);
  const mobile = useMobile();
  const collapsed = useSidebarCollapsed();
  const [menuOpen, setMenuOpen] = useState(false);
  const sidebar = row?.shell !== 'bare' && user !== null && !mobile;
  return (
    <>
      <SkipLink />
      <TopBar onMenu={() => setMenuOpen(true)} />
      {sidebar && <SideBar />}
      {mobile && menuOpen && (
        <Suspense fallback={null}>
          <MobileMenu open onClose={() => setMenuOpen(false)} />
        </Suspense>
      )}
      <Box
        sx={{
          pt: `${BAR_HEIGHT}px`,
          ml: sidebar ? `${collapsed ? SIDEBAR_WIDTH.collapsed : SIDEBAR_WIDTH.open}px` : 0,
        }}
      >
        <NewVersion />
        <Connection retry={refetchStatus} />
        <PrintHead />
        <Outlet />
      </Box>
      <Overlays />
      <LeaveGuard />
      <Boundary>
        <CommandLayer signedIn={user !== null} />
      </Boundary>
      <ScrollRestoration />
    </>
  );
}

import CollapseIcon from '@mui/icons-material/KeyboardDoubleArrowLeft';
import ExpandIcon from '@mui/icons-material/KeyboardDoubleArrowRight';
import { isAdmin } from '@tollgate/contracts/roles';
import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../app/i18n/text-keys.js';
import { addressOf, navGroups, navRows } from '../../app/page-list.js';
import { selectSidebarChoice, sidebarToggled } from '../../app/slices/preferences.js';
import { selectRole } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { useWaitingApprovals } from './use-waiting-approvals.js';
import { NavLink } from './nav-link.js';
import { SideChats } from './side-chats.js';
import { BAR_HEIGHT } from './top-bar.js';

export const SIDEBAR_WIDTH = { open: 200, collapsed: 60 } as const;

/** The user's choice, else the operator's default. */
export function useSidebarCollapsed(): boolean {
  const choice = useAppSelector(selectSidebarChoice);
  const { default_collapse_sidebar: byDefault = false } = useAppSelector(selectStatus);
  return choice ?? byDefault;
}

export function SideLinks({ collapsed = false, onNavigate }: { collapsed?: boolean; onNavigate?: () => void }) {
  const { t } = useTranslation();
  const say = useSay();
  const role = useAppSelector(selectRole);
  const rows = navRows(role, useAppSelector(selectStatus));
  const waiting = useWaitingApprovals(isAdmin(role));
  const groups = navGroups
    .map((group) => ({ group, rows: rows.filter(({ nav }) => nav?.group === group) }))
    .filter((part) => part.rows.length > 0);
  return groups.map(({ group, rows: own }, index) => (
    <Box
      key={group}
      role="group"
      aria-label={t(`nav.group.${group}`)}
      sx={{ py: 0.5, borderTop: index > 0 && collapsed ? '1px solid' : 0, borderColor: 'border.subtle' }}
    >
      {!collapsed && group !== 'chat' && (
        <Typography variant="caption" component="p" sx={{ color: 'text.tertiary', px: 2.5, pt: 1, pb: 0.5 }}>
          {t(`nav.group.${group}`)}
        </Typography>
      )}
      {own.map((row) => {
        const Icon = row.nav?.icon;
        return (
          <NavLink
            key={row.id}
            layout="side"
            to={addressOf(row)}
            collapsed={collapsed}
            badge={row.id === 'approval' ? waiting : 0}
            onNavigate={onNavigate}
            icon={Icon && <Icon sx={{ fontSize: 20 }} />}
          >
            {say(row.titleKey)}
          </NavLink>
        );
      })}
      {group === 'chat' && <SideChats collapsed={collapsed} onNavigate={onNavigate} />}
    </Box>
  ));
}

export function SideBar() {
  const { t } = useTranslation();
  const dispatch = useAppDispatch();
  const collapsed = useSidebarCollapsed();
  const label = collapsed ? t('shell.expand') : t('shell.collapse');
  return (
    <Box
      component="nav"
      aria-label={t('nav.side')}
      sx={{
        position: 'fixed',
        top: BAR_HEIGHT,
        bottom: 0,
        left: 0,
        width: collapsed ? SIDEBAR_WIDTH.collapsed : SIDEBAR_WIDTH.open,
        display: 'flex',
        flexDirection: 'column',
        bgcolor: 'background.paper',
        borderRight: '1px solid',
        borderColor: 'border.subtle',
        zIndex: 'appBar',
      }}
    >
      <Box sx={{ flex: 1, overflowY: 'auto', overflowX: 'hidden', py: 1 }}>
        <SideLinks collapsed={collapsed} />
      </Box>
      <ButtonBase
        onClick={() => dispatch(sidebarToggled(!collapsed))}
        aria-label={label}
        title={collapsed ? label : undefined}
        sx={{
          minHeight: 40,
          gap: 1.5,
          px: 2.5,
          justifyContent: collapsed ? 'center' : 'flex-start',
          color: 'text.secondary',
          borderTop: '1px solid',
          borderColor: 'border.subtle',
          font: 'inherit',
        }}
      >
        {collapsed ? <ExpandIcon sx={{ fontSize: 20 }} /> : <CollapseIcon sx={{ fontSize: 20 }} />}
        {!collapsed && label}
      </ButtonBase>
    </Box>
  );
}

import KeyboardIcon from '@mui/icons-material/KeyboardOutlined';
import LogoutIcon from '@mui/icons-material/Logout';
import PersonIcon from '@mui/icons-material/PersonOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { Role, isAdmin, isRoot } from '@tollgate/contracts/roles';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router-dom';
import { Avatar } from '../../components/texts/avatar.js';
import { DiscardQuestion, isLostWithPage } from '../../components/overlays/dirty-guard.js';
import { MenuButton } from '../../components/overlays/menu-button.js';
import type { MenuEntry } from '../../components/overlays/menu-entry.js';
import { useMobile } from '../../components/basics/use-media.js';
import { layerShown } from '../../app/slices/layer.js';
import { selectUser } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useLogoutMutation } from '../../api/session.api.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';

function roleKey(role: number) {
  if (isRoot(role)) return 'shell.role.root';
  if (isAdmin(role)) return 'shell.role.admin';
  return role === Role.user ? 'shell.role.user' : 'shell.role.unknown';
}

function SignedOut() {
  const { t } = useTranslation();
  const mobile = useMobile();
  const { self_use_mode_enabled: selfUse, setup } = useAppSelector(selectStatus);
  // Before the set-up there is no administrator who could sign in; both links would be redirected to the wizard.
  if (setup === false) return null;
  return (
    <>
      <Button component={Link} to="/login">
        {t('nav.login')}
      </Button>
      {!selfUse && !mobile && (
        <Button component={Link} to="/register" variant="outlined">
          {t('nav.register')}
        </Button>
      )}
    </>
  );
}

/** Signs the user out and opens the login page. A refusal is shown as a toast by the call. */
function useSignOut() {
  const [logout] = useLogoutMutation();
  const navigate = useNavigate();
  const dispatch = useAppDispatch();
  const signOut = async () => {
    await logout().unwrap();
    dispatch(toastShown({ severity: 'success', key: 'shell.loggedOut' }));
    await navigate('/login');
  };
  return () => void signOut().catch(() => undefined);
}

function useEntries(onLogout: () => void): MenuEntry[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const dispatch = useAppDispatch();
  return [
    {
      id: 'personal',
      label: t('nav.personal'),
      icon: <PersonIcon fontSize="small" />,
      run: () => void navigate('/personal'),
    },
    {
      id: 'shortcuts',
      label: t('shell.shortcuts'),
      icon: <KeyboardIcon fontSize="small" />,
      run: () => void dispatch(layerShown('shortcuts')),
    },
    {
      id: 'logout',
      label: t('nav.logout'),
      icon: <LogoutIcon fontSize="small" />,
      divided: true,
      run: onLogout,
    },
  ];
}

function SignedInMenu({ user, signOut }: { user: SessionUser; signOut: () => void }) {
  const { t } = useTranslation();
  const mobile = useMobile();
  const location = useLocation();
  const [asks, setAsks] = useState(false);
  const leave = () => {
    setAsks(false);
    signOut();
  };
  const entries = useEntries(() => (isLostWithPage(location) ? setAsks(true) : leave()));
  return (
    <>
      <MenuButton
        label={t('nav.account')}
        header={
          <>
            <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
              {user.display_name || user.username}
            </Typography>
            <Typography variant="caption" sx={{ color: 'text.secondary' }}>
              {t(roleKey(user.role))} · #{user.id}
            </Typography>
          </>
        }
        entries={entries}
      >
        <Avatar name={user.username} />
        {!mobile && (
          <Box
            component="span"
            sx={{ ml: 1, maxWidth: 140, overflow: 'hidden', textOverflow: 'ellipsis', fontWeight: 400 }}
          >
            {user.username}
          </Box>
        )}
      </MenuButton>
      {asks && <DiscardQuestion discard={leave} onStay={() => setAsks(false)} />}
    </>
  );
}

export function AccountMenu() {
  const user = useAppSelector(selectUser);
  // Here, because the menu is gone before the login page is opened.
  const signOut = useSignOut();
  return user ? <SignedInMenu user={user} signOut={signOut} /> : <SignedOut />;
}

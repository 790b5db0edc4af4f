import KeyboardIcon from '@mui/icons-material/KeyboardOutlined';
import LogoutIcon from '@mui/icons-material/Logout';
import PersonIcon from '@mui/icons-material/PersonOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { Role, isAdmin, isRoot } from '@tollgate/contracts/roles';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router-dom';
import { Avatar } from '../../components/texts/avatar.js';
import { DiscardQuestion, isLostWithPage } from '../../components/overlays/dirty-guard.js';
import { MenuButton } from '../../components/overlays/menu-button.js';
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

export function AccountMenu() {
  const { t } = useTranslation();
  const user = useAppSelector(selectUser);
  const mobile = useMobile();
  const [logout] = useLogoutMutation();
  const navigate = useNavigate();
  const location = useLocation();
  const dispatch = useAppDispatch();
  const [asks, setAsks] = useState(false);
  if (!user) return <SignedOut />;

  const signOut = async () => {
    setAsks(false);
    await logout().unwrap();
    dispatch(toastShown({ severity: 'success', key: 'shell.loggedOut' }));
    await navigate('/login');
  };
  const leave = () => void signOut().catch(() => undefined);
  const name = user.display_name || user.username;
  return (
    <>
      <MenuButton
        label={t('nav.account')}
        header={
          <>
            <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{name}</Typography>
            <Typography variant="caption" sx={{ color: 'text.secondary' }}>
              {t(roleKey(user.role))} · #{user.id}
            </Typography>
          </>
        }
        entries={[
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
            run: () => (isLostWithPage(location) ? setAsks(true) : leave()),
          },
        ]}
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

import ChatsIcon from '@mui/icons-material/ForumOutlined';
import ExpandIcon from '@mui/icons-material/ExpandMore';
import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import { selectStatus } from '../../app/slices/status.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import type { ChatLink } from '../../components/chat/chat-links.js';
import { readChatLinks } from '../../components/chat/chat-links.js';
import { MenuButton } from '../../components/overlays/menu-button.js';
import { OwnWords } from '../../components/texts/own-words.js';
import { NavLink, sideItem } from './nav-link.js';

const addressAt = (index: number): string => `/chat/${index}`;

/** The operator's chat programs; none if the stored value is malformed, which a toast reports once. */
function useChats(): ChatLink[] {
  const { chats } = useAppSelector(selectStatus);
  const dispatch = useAppDispatch();
  const links = readChatLinks(chats);
  const broken = links === undefined;
  useEffect(() => {
    if (broken) dispatch(toastShown({ severity: 'error', key: 'chat.unreadable' }));
  }, [broken, dispatch]);
  return links ?? [];
}

function ChatMenu({ links }: { links: ChatLink[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Box sx={{ display: 'flex', justifyContent: 'center', minHeight: 36, alignItems: 'center' }}>
      <MenuButton
        label={t('nav.chat')}
        icon={<ChatsIcon sx={{ fontSize: 20 }} />}
        entries={links.map(({ name }, index) => ({
          id: addressAt(index),
          label: <OwnWords text={name} />,
          run: () => void navigate(addressAt(index)),
        }))}
      />
    </Box>
  );
}

/** An item for all chats, with a sub-item for each. */
export function SideChats({ collapsed, onNavigate }: { collapsed: boolean; onNavigate?: () => void }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [open, setOpen] = useState(pathname.startsWith('/chat/'));
  const links = useChats();
  if (links.length === 0) return null;
  if (collapsed) return <ChatMenu links={links} />;
  return (
    <>
      <ButtonBase
        aria-expanded={open}
        aria-controls="side-chats"
        onClick={() => setOpen(!open)}
        sx={{ ...sideItem, width: 'calc(100% - 16px)', justifyContent: 'flex-start', font: 'inherit' }}
      >
        <ChatsIcon sx={{ fontSize: 20 }} />
        <span>{t('nav.chat')}</span>
        <ExpandIcon sx={{ fontSize: 20, ml: 'auto', transform: open ? 'rotate(180deg)' : 'none' }} />
      </ButtonBase>
      <Box id="side-chats" hidden={!open}>
        {open &&
          links.map(({ name }, index) => (
            <NavLink key={addressAt(index)} layout="side" to={addressAt(index)} indent lang="" onNavigate={onNavigate}>
              {name}
            </NavLink>
          ))}
      </Box>
    </>
  );
}

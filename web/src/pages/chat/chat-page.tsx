import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import type { OpenChat } from '../../components/chat/chat-gate.js';
import { ChatGate } from '../../components/chat/chat-gate.js';
import { chatLinks } from '../../components/chat/chat-links.js';
import { usePostedTheme } from '../../components/texts/operator-frame.js';
import { OwnWords } from '../../components/texts/own-words.js';

/** A page of the console's own origin gets no `allow-same-origin`, or it could reach into the console around it. */
function sandboxOf(address: string): string {
  const common = 'allow-scripts allow-forms allow-popups allow-modals allow-downloads';
  return new URL(address).origin === window.location.origin ? common : `${common} allow-same-origin`;
}

/** A page served over HTTPS cannot frame one served over HTTP. */
const canFrame = (address: string): boolean =>
  window.location.protocol !== 'https:' || new URL(address).protocol === 'https:';

interface OutsideLinkProps {
  address: string;
  /** Styles the link as the main action of the page. */
  main?: boolean;
  children: ReactNode;
}

function OutsideLink({ address, main, children }: OutsideLinkProps) {
  return (
    <Button
      component="a"
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      variant={main ? 'contained' : undefined}
    >
      {children}
    </Button>
  );
}

function ChatFrame({ link, address, token }: OpenChat) {
  const { t } = useTranslation('chat');
  const { frame, loaded, onLoad } = usePostedTheme(address);
  return (
    <Stack sx={{ flex: 1, height: 'calc(100dvh - 56px)' }}>
      <Stack
        direction="row"
        sx={{ alignItems: 'center', gap: 1, px: 2, minHeight: 40, flexWrap: 'wrap', flexShrink: 0 }}
      >
        <Typography variant="body1" component="h1" tabIndex={-1} sx={{ fontWeight: 600 }}>
          <OwnWords text={link.name} />
        </Typography>
        <Typography
          variant="caption"
          sx={{ color: 'text.secondary', flex: 1, minWidth: 160, overflowWrap: 'anywhere' }}
        >
          <Trans
            t={t}
            i18nKey={'facts'}
            values={{ place: new URL(address).host }}
            components={{ token: <OwnWords text={token} /> }}
          />
        </Typography>
        <span role="status">{loaded ? '' : t('chat.leading')}</span>
        <OutsideLink address={address}>{t('apart')}</OutsideLink>
      </Stack>
      <iframe
        ref={frame}
        src={address}
        title={link.name}
        lang=""
        onLoad={onLoad}
        referrerPolicy="no-referrer"
        sandbox={sandboxOf(address)}
        allow="camera; microphone; clipboard-write"
        style={{ flex: 1, width: '100%', border: 0 }}
      />
    </Stack>
  );
}

/** A link that opens the program in a tab of its own, for addresses that cannot be framed. */
function ChatElsewhere({ link, address, token }: OpenChat) {
  const { t } = useTranslation('chat');
  const own = { name: <OwnWords text={link.name} />, token: <OwnWords text={token} /> };
  return (
    <Stack spacing={2} sx={{ width: '100%', maxWidth: 560, mx: 'auto', py: 8, px: 2, overflowWrap: 'anywhere' }}>
      <Typography variant="h5" component="h1" tabIndex={-1}>
        <OwnWords text={link.name} />
      </Typography>
      <Typography>
        <Trans t={t} i18nKey={'elsewhere'} components={own} />
      </Typography>
      <Stack direction="row" spacing={1}>
        <OutsideLink address={address} main>
          <Trans t={t} i18nKey={'chat.open'} components={own} />
        </OutsideLink>
        <Button component={Link} to="/token">
          {t('chat.tokens')}
        </Button>
      </Stack>
    </Stack>
  );
}

/**
 * A chat program configured by the operator, addressed by its index in the list, opened with the first enabled token.
 */
export function ChatPage() {
  const { id = '0' } = useParams();
  const links = chatLinks(useAppSelector(selectStatus).chats);
  const link = /^\d{1,4}$/.test(id) ? links[Number(id)] : undefined;
  return (
    // A new key for another program, so that its state is not shared.
    <ChatGate key={id} link={link} missing={links.length === 0 ? 'chat.unset' : 'chat.broken'} waiting="chat.leading">
      {(chat) => (chat.web && canFrame(chat.address) ? <ChatFrame {...chat} /> : <ChatElsewhere {...chat} />)}
    </ChatGate>
  );
}

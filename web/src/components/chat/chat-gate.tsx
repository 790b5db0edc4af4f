import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { Token } from '@tollgate/contracts/api/token';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import type { ReturnState } from '../../app/return-state.js';
import { selectUser } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { readStoredJson, writeStored } from '../../app/stored.js';
import type { ChatLink } from './chat-links.js';
import { chatAddress, chatPlace } from './chat-links.js';
import { OwnWords } from '../texts/own-words.js';
import { ErrorState, MessageState } from '../feedback/states.js';
import { useChatToken, useKeyOf } from './use-chat-token.js';

const CONSENT_KEY = 'chat-consent';
type Consents = Record<string, string[]>;
const isConsents = (value: unknown): value is Consents => typeof value === 'object' && value !== null;

/** Whether this user agreed that a key is sent to exactly this link; each link needs its own consent. */
function useConsent(template: string) {
  const user = useAppSelector(selectUser);
  const id = String(user?.id ?? '');
  const [stored, setStored] = useState(() => readStoredJson(CONSENT_KEY, isConsents) ?? {});
  const given = stored[id]?.includes(template) ?? false;
  const give = () => {
    const next = { ...stored, [id]: [...(stored[id] ?? []), template] };
    writeStored(CONSENT_KEY, JSON.stringify(next));
    setStored(next);
  };
  return { given, give };
}

function SignInFirst() {
  const { t } = useTranslation();
  const { pathname, search } = useLocation();
  return (
    <MessageState heading title={t('chat.signIn')}>
      <Button
        component={Link}
        to="/login"
        state={{ from: pathname + search } satisfies ReturnState}
        variant="contained"
      >
        {t('nav.login')}
      </Button>
    </MessageState>
  );
}

interface ConsentProps {
  link: ChatLink;
  token: string;
  onGive: () => void;
}

/** Says who will receive the key, before it is sent. */
function AskConsent({ link, token, onGive }: ConsentProps) {
  const { t } = useTranslation();
  const own = { name: <OwnWords text={link.name} />, token: <OwnWords text={token} /> };
  const { web = true, place = '' } = chatPlace(link.template) ?? {};
  return (
    <Stack spacing={2} sx={{ width: '100%', maxWidth: 560, mx: 'auto', py: 8, px: 2, overflowWrap: 'anywhere' }}>
      <Typography variant="h5" component="h1" tabIndex={-1}>
        <Trans t={t} i18nKey={'chat.open'} components={own} />
      </Typography>
      <Typography>
        <Trans t={t} i18nKey={web ? 'chat.toSite' : 'chat.toApp'} values={{ place }} components={own} />
      </Typography>
      <Typography sx={{ color: 'text.secondary' }}>
        <Trans t={t} i18nKey={'chat.whatItMay'} components={own} />
      </Typography>
      <Stack direction="row" spacing={1}>
        <Button variant="contained" onClick={onGive}>
          {t('chat.agree')}
        </Button>
        <Button component={Link} to="/token">
          {t('chat.tokens')}
        </Button>
      </Stack>
    </Stack>
  );
}

export interface OpenChat {
  link: ChatLink;
  address: string;
  web: boolean;
  token: string;
}

interface ChatGateProps {
  /** `undefined` if the address names no chat; the page then shows the text `missing`. */
  link: ChatLink | undefined;
  missing: 'chat.broken' | 'chat.unset';
  /** Text shown while the key is being loaded. */
  waiting: 'chat.leading' | 'chat.loading';
  children: (chat: OpenChat) => ReactNode;
}

type Waiting = ChatGateProps['waiting'];
interface ReadyProps extends Pick<ChatGateProps, 'waiting' | 'children'> {
  link: ChatLink;
  web: boolean;
}

const Wait = ({ waiting }: { waiting: Waiting }) => (
  <div role="status" data-waiting="">
    <MessageState heading title={useTranslation().t(waiting)} />
  </div>
);

/** Shown instead of the page, so it needs a heading of its own. */
function Failed({ error, retry }: { error: unknown; retry: () => void }) {
  const { t } = useTranslation();
  return (
    <Stack spacing={2} sx={{ width: '100%', maxWidth: 720, mx: 'auto', py: 4, px: 2 }}>
      <Typography variant="h5" component="h1" tabIndex={-1}>
        {t('nav.chat')}
      </Typography>
      <ErrorState error={error} retry={retry} />
    </Stack>
  );
}

function WithKey({ link, web, token, waiting, children }: ReadyProps & { token: Token }) {
  const { server_address: server } = useAppSelector(selectStatus);
  const { key, error, retry } = useKeyOf(token.id);
  if (error) return <Failed error={error} retry={retry} />;
  const address = key === undefined ? undefined : chatAddress(link.template, key, server || window.location.origin);
  return address === undefined ? <Wait waiting={waiting} /> : children({ link, address, web, token: token.name });
}

function WithToken(props: ReadyProps) {
  const { t } = useTranslation();
  const { given, give } = useConsent(props.link.template);
  const { token, none, error, retry } = useChatToken();
  if (error) return <Failed error={error} retry={retry} />;
  if (none) return <MessageState heading title={t('chat.noToken')} />;
  if (!token) return <Wait waiting={props.waiting} />;
  return given ? (
    <WithKey {...props} token={token} />
  ) : (
    <AskConsent link={props.link} token={token.name} onGive={give} />
  );
}

/** Passes a key to a chat program only if the user is signed in, has an enabled token, was told where the key goes, and agreed. */
export function ChatGate({ link, missing, waiting, children }: ChatGateProps) {
  const { t } = useTranslation();
  const user = useAppSelector(selectUser);
  const place = link && chatPlace(link.template);
  if (!link || !place) return <MessageState heading title={t(link ? 'chat.broken' : missing)} />;
  if (!user) return <SignInFirst />;
  return (
    <WithToken link={link} web={place.web} waiting={waiting}>
      {children}
    </WithToken>
  );
}

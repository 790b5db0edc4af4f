import Button from '@mui/material/Button';
import { useEffect } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import type { OpenChat } from '../../components/chat/chat-gate.js';
import { ChatGate } from '../../components/chat/chat-gate.js';
import { chatLinks, chatPlace, withSettings } from '../../components/chat/chat-links.js';
import { OwnWords } from '../../components/texts/own-words.js';
import { MessageState } from '../../components/feedback/states.js';

/**
 * Navigates to the program. A link with the scheme of an app opens the app and leaves this page as it is, so it also
 * shows a button.
 */
function Leave({ link, address }: OpenChat) {
  const { t } = useTranslation('chat2link');
  useEffect(() => window.location.assign(address), [address]);
  return (
    <MessageState heading title={t('chat.loading')} body={t('stuck')}>
      <Button component="a" href={address} rel="noopener noreferrer" variant="contained">
        <Trans t={t} i18nKey={'chat.open'} components={{ name: <OwnWords text={link.name} /> }} />
      </Button>
    </MessageState>
  );
}

/** The operator's former chat link if it is set, otherwise the first website in the list of chats. */
function useTarget() {
  const { chat_link: one, chat_link2: two, chats } = useAppSelector(selectStatus);
  const old = one || two;
  if (old) return { name: chatPlace(old)?.place ?? old, template: withSettings(old) };
  return chatLinks(chats).find(({ template }) => chatPlace(template)?.web);
}

export function Chat2linkPage() {
  return (
    <ChatGate link={useTarget()} missing="chat.unset" waiting="chat.loading">
      {(chat) => <Leave {...chat} />}
    </ChatGate>
  );
}

import DownIcon from '@mui/icons-material/ArrowDownward';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { visuallyHidden } from '../../components/basics/visually-hidden.js';
import type { Message } from './conversation.js';
import type { Conversation } from './use-conversation.js';
import { MessageItem } from './message-item.js';

const NEAR_PX = 48;

/** Scrolls with the growing text as long as the reader is at its end. */
function useFollow(version: unknown) {
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const toEnd = () => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  useLayoutEffect(() => {
    if (atEnd) toEnd();
  }, [version, atEnd]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current ?? { scrollTop: 0, scrollHeight: 0, clientHeight: 0 };
    setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR_PX);
  };
  return { box, atEnd, onScroll, toEnd: () => (setAtEnd(true), toEnd()) };
}

/** Announces to screen readers that an answer is being written and then the whole answer, not each piece of it. */
function Spoken({ conversation: { messages, busy } }: { conversation: Conversation }) {
  const { t } = useTranslation('playground');
  const last = messages.at(-1);
  const ended = ({ error, content }: Message): string =>
    error !== undefined ? t('state.failed', { text: error }) : t('state.finished', { text: content });
  const done = last?.role === 'assistant' && last.facts ? ended(last) : '';
  return (
    <Box role="status" sx={visuallyHidden}>
      {busy ? t('state.answering') : done}
    </Box>
  );
}

export function MessageList({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation('playground');
  const { messages, restored, busy, retry, noRetry, keepBill, undo } = conversation;
  const { box, atEnd, onScroll, toEnd } = useFollow(messages);
  return (
    <Box sx={{ position: 'relative', flex: 1, minHeight: 0, display: 'flex', flexDirection: 'column' }}>
      <Box
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        role="region"
        aria-label={t('conversation')}
        sx={{ flex: 1, overflowY: 'auto', overscrollBehavior: 'contain', p: { xs: 1.5, sm: 2 } }}
      >
        {restored && (
          <Typography role="note" variant="caption" sx={{ display: 'block', color: 'text.secondary', mb: 1.5 }}>
            {t(restored === 'whole' ? 'restored' : 'restoredShort')}
          </Typography>
        )}
        <Box
          component="ol"
          aria-busy={busy}
          sx={{ listStyle: 'none', m: 0, p: 0, display: 'flex', flexDirection: 'column', gap: 2 }}
        >
          {messages.map((message, index) => (
            <MessageItem
              key={message.id}
              message={message}
              onBill={keepBill}
              {...(!busy && index === messages.length - 1 && message.facts && { onRetry: retry, noRetry })}
            />
          ))}
        </Box>
        {messages.length === 0 && (
          <Typography sx={{ color: 'text.secondary', textAlign: 'center', py: 4 }}>
            {t('cleared')} {undo && <Button onClick={undo}>{t('action.undo')}</Button>}
          </Typography>
        )}
      </Box>
      {!atEnd && (
        <Button
          variant="outlined"
          startIcon={<DownIcon />}
          onClick={toEnd}
          sx={{
            position: 'absolute',
            bottom: 8,
            left: '50%',
            transform: 'translateX(-50%)',
            bgcolor: 'background.raised',
          }}
        >
          {t('toEnd')}
        </Button>
      )}
      <Spoken conversation={conversation} />
    </Box>
  );
}

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Suspense, memo, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Bill } from '../../api/log.api.js';
import { Callout } from '../../components/feedback/callout.js';
import { DeniableButton } from '../../components/feedback/deniable-button.js';
import { CopyButton } from '../../components/texts/copy-button.js';
import { hasMarks } from '../../components/texts/markdown-marks.js';
import { AttachmentList } from './attachments.js';
import { NotKeptList } from './not-kept.js';
import type { Message } from './conversation.js';
import { Reasoning } from './reasoning.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const Plain = ({ text }: { text: string }) => (
  <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Box>
);

const Markdown = lazyPart(async () => (await import('../../components/texts/markdown.js')).Markdown, {
  instead: Plain,
});

const AnswerMedia = lazyPart(async () => (await import('./answer-media.js')).AnswerMedia);

/** Loaded with the first answer: the greeting, which a visit begins with, has no facts. */
const AnswerFacts = lazyPart(async () => (await import('./answer-facts.js')).AnswerFacts);

const PATIENCE_MS = 300;
const COUNT_FROM_SECONDS = 3;

/** Shows dots after a moment, and the elapsed seconds after three. */
function Waiting({ since }: { since: number }) {
  const { t } = useTranslation('playground');
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), PATIENCE_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.floor((now - since) / 1000);
  if (now - since < PATIENCE_MS) return <Box sx={{ minHeight: 22 }} />;
  return (
    <Box component="span" sx={{ color: 'text.secondary' }}>
      {seconds >= COUNT_FROM_SECONDS ? t('state.waitingSeconds', { seconds }) : t('state.waiting')}
    </Box>
  );
}

function Content({ message }: { message: Message }) {
  const { content, status, createAt, attachments, media, notKept, reasoning } = message;
  if (status === 'loading') return <Waiting since={createAt} />;
  return (
    <>
      {attachments && <AttachmentList files={attachments} />}
      {reasoning && <Reasoning text={reasoning} open={content === ''} />}
      {media && media.length > 0 && (
        <Suspense fallback={null}>
          <AnswerMedia media={media} />
        </Suspense>
      )}
      {content !== '' && <Words message={message} />}
      {notKept && <NotKeptList parts={notKept} />}
    </>
  );
}

/** A growing answer is shown as plain text; Markdown is rendered once, when the answer is complete. */
function Words({ message: { content, status, role } }: { message: Message }) {
  const plain = <Plain text={content} />;
  if (role === 'user' || status === 'incomplete' || !hasMarks(content)) return plain;
  return (
    <Suspense fallback={plain}>
      <Markdown text={content} />
    </Suspense>
  );
}

/** Why the answer is missing or incomplete. */
function Failure({ error, alone }: { error: string; alone: boolean }) {
  return (
    <Callout severity="error" sx={alone ? { p: 0, bgcolor: 'transparent' } : { mt: 1 }}>
      {error}
    </Callout>
  );
}

interface MessageItemProps {
  message: Message;
  onBill: (id: string, bill: Bill) => void;
  /** Present only for the last answer. */
  onRetry?: () => void;
  /** Why the last answer cannot be requested again. */
  noRetry?: string;
}

function AnswerFoot({ message: { id, content, facts }, onBill, onRetry, noRetry }: MessageItemProps) {
  const { t } = useTranslation('playground');
  return (
    <Box sx={{ display: 'flex', alignItems: 'flex-start', columnGap: 1 }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        {facts && (
          <Suspense fallback={null}>
            <AnswerFacts facts={facts} onBill={(bill) => onBill(id, bill)} />
          </Suspense>
        )}
      </Box>
      {content !== '' && <CopyButton text={content} label={t('copyAnswer')} />}
      {onRetry && (
        <DeniableButton size="small" denied={noRetry} onClick={onRetry} sx={{ minHeight: 28 }}>
          {t('action.retry')}
        </DeniableButton>
      )}
    </Box>
  );
}

const bubble = { borderRadius: '8px', px: 1.5, py: 1, minWidth: 0 } as const;
const side = {
  user: { alignSelf: 'flex-end', maxWidth: '80%', textAlign: 'right' },
  assistant: { alignSelf: 'stretch', maxWidth: '100%', textAlign: 'left' },
} as const;

const hasNothing = ({ content, media = [], attachments = [], notKept = [] }: Message): boolean =>
  content === '' && media.length + attachments.length + notKept.length === 0;

export const MessageItem = memo(function MessageItem(props: MessageItemProps) {
  const { message } = props;
  const { t } = useTranslation('playground');
  const { role, status, error } = message;
  const isEmpty = hasNothing(message);
  const finished = status === 'complete' || status === 'error';
  const { textAlign, ...place } = side[role];
  return (
    <Box
      component="li"
      data-status={status}
      sx={{ ...place, minWidth: 0, display: 'flex', flexDirection: 'column', gap: 0.5 }}
    >
      <Typography variant="caption" sx={{ color: 'text.tertiary', textAlign }}>
        {t(`role.${role}`)}
      </Typography>
      <Box sx={{ ...bubble, bgcolor: role === 'user' ? 'primary.soft' : 'background.sunken' }}>
        <Content message={message} />
        {finished && isEmpty && !error && (
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {t('state.empty')}
          </Box>
        )}
        {error && <Failure error={error} alone={isEmpty && !message.reasoning} />}
      </Box>
      {role === 'assistant' && finished && <AnswerFoot {...props} />}
    </Box>
  );
});

import SendIcon from '@mui/icons-material/SendOutlined';
import StopIcon from '@mui/icons-material/StopCircleOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { KeyboardEvent, SyntheticEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../../components/field.js';
import { useMedia, useMobile } from '../../components/use-media.js';

interface ComposerProps {
  busy: boolean;
  /** Why nothing can be sent. */
  blocked?: string;
  onSend: (text: string) => void;
  onStop: () => void;
}

/** Sends, or stops what is on its way; only its picture where the field needs the room. */
function ActionButton({ busy, ready, onStop }: { busy: boolean; ready: boolean; onStop: () => void }) {
  const { t } = useTranslation('playground');
  const mobile = useMobile();
  const label = t(busy ? 'stop' : 'send');
  const icon = busy ? <StopIcon fontSize="small" /> : <SendIcon fontSize="small" />;
  return (
    <Button
      // Two buttons for the browser: a press that stops must not become one that sends.
      key={label}
      type={busy ? 'button' : 'submit'}
      variant={busy ? 'outlined' : 'contained'}
      color={busy ? 'error' : 'primary'}
      disabled={!busy && !ready}
      onClick={busy ? onStop : undefined}
      startIcon={mobile ? undefined : icon}
      aria-label={label}
      sx={{ flexShrink: 0 }}
    >
      {mobile ? icon : label}
    </Button>
  );
}

/** With "Stop" or "Retry" the focus is gone: the next thing to do is to write. Not under a finger, where it calls up the keyboard. */
function useReturn(busy: boolean) {
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const typing = !useMedia('(pointer: coarse)');
  useEffect(() => {
    if (typing && document.activeElement === document.body) field.current?.focus();
  }, [busy, typing]);
  return { field, typing };
}

/** Enter sends, Shift+Enter breaks the line; a composition of characters is never sent. */
export function Composer({ busy, blocked, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation('playground');
  const [text, setText] = useState('');
  const { field, typing } = useReturn(busy);
  const ready = !busy && !blocked && text.trim() !== '';
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!ready) return;
    onSend(text.trim());
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
  };
  return (
    <Box
      component="form"
      onSubmit={submit}
      sx={{
        display: 'flex',
        gap: 1,
        alignItems: 'flex-end',
        p: { xs: 1.5, sm: 2 },
        borderTop: '1px solid',
        borderColor: 'border.subtle',
        bgcolor: 'background.paper',
        '&& textarea': { maxHeight: 200 },
      }}
    >
      <Field
        label={t('compose')}
        hideLabel
        placeholder={blocked ?? t(typing ? 'composeHint' : 'compose')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        multiline
        autoFocus={typing}
        inputRef={field}
      />
      <ActionButton busy={busy} ready={ready} onStop={onStop} />
    </Box>
  );
}

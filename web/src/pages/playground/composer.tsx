import SendIcon from '@mui/icons-material/SendOutlined';
import StopIcon from '@mui/icons-material/StopCircleOutlined';
import Box from '@mui/material/Box';
import type { ClipboardEvent, KeyboardEvent, SyntheticEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Callout } from '../../components/feedback/callout.js';
import { DeniableButton } from '../../components/feedback/deniable-button.js';
import { Field } from '../../components/forms/field.js';
import { useMedia, useMobile } from '../../components/basics/use-media.js';

import { attached, AttachButton, AttachmentList, takesFiles } from './attachments.js';
import type { Attachment } from './conversation.js';
import type { ModelKind } from './model-kind.js';

interface ComposerProps {
  busy: boolean;
  /** Why nothing can be sent. */
  blocked?: string;
  kind: ModelKind;
  onSend: (text: string, files: Attachment[]) => void;
  onStop: () => void;
}

/** Sends, or stops what is on its way; only its picture where the field needs the room. */
function ActionButton({ busy, denied, onStop }: { busy: boolean; denied?: string; onStop: () => void }) {
  const { t } = useTranslation('playground');
  const mobile = useMobile();
  const label = t(busy ? 'stop' : 'send');
  const icon = busy ? <StopIcon fontSize="small" /> : <SendIcon fontSize="small" />;
  return (
    <DeniableButton
      // Two buttons for the browser: a press that stops must not become one that sends.
      key={label}
      type={busy ? 'button' : 'submit'}
      variant={busy ? 'outlined' : 'contained'}
      color={busy ? 'error' : 'primary'}
      denied={busy ? undefined : denied}
      onClick={busy ? onStop : undefined}
      startIcon={mobile ? undefined : icon}
      aria-label={label}
      sx={{ flexShrink: 0 }}
    >
      {mobile ? icon : label}
    </DeniableButton>
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

const hints = { picture: 'pictureHint', speech: 'speechHint', words: 'wordsHint' } as const;

const hintOf = (kind: ModelKind, typing: boolean) =>
  kind === 'chat' ? (typing ? 'composeHint' : 'compose') : hints[kind];

/** Files of the next message; another kind of model takes other files. */
function useFiles(kind: ModelKind) {
  const { t } = useTranslation('playground');
  const [files, setFiles] = useState<Attachment[]>([]);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    setFiles([]);
    setProblem(undefined);
  }, [kind]);
  const add = async (picked: File[]) => {
    const taken = await attached(picked, files, kind);
    if ('files' in taken) setFiles(taken.files);
    setProblem('refused' in taken ? t(taken.refused) : undefined);
  };
  return {
    files,
    problem,
    add,
    remove: (file: Attachment) => setFiles((now) => now.filter((one) => one !== file)),
    clear: () => {
      setFiles([]);
      setProblem(undefined);
    },
  };
}

const hasContent = (kind: ComposerProps['kind'], text: string, files: number): boolean =>
  kind === 'words' ? files > 0 : text.trim() !== '' || (kind === 'chat' && files > 0);

/** Enter sends, Shift+Enter breaks the line; a composition of characters is never sent. */
export function Composer({ busy, blocked, kind, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation('playground');
  const [text, setText] = useState('');
  const { field, typing } = useReturn(busy);
  const { files, problem, add, remove, clear } = useFiles(kind);
  const ready = !busy && !blocked && hasContent(kind, text, files.length);
  const denied = ready ? undefined : (blocked ?? t(kind === 'words' ? 'noFile' : 'noText'));
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!ready) return;
    onSend(text.trim(), files);
    setText('');
    clear();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
  };
  const onPaste = ({ clipboardData }: ClipboardEvent) => {
    if (clipboardData.files.length > 0 && takesFiles(kind)) void add([...clipboardData.files]);
  };
  return (
    <Box
      component="form"
      data-composer
      onSubmit={submit}
      sx={{
        display: 'flex',
        flexDirection: 'column',
        gap: 1,
        p: { xs: 1.5, sm: 2 },
        borderTop: '1px solid',
        borderColor: 'border.subtle',
        bgcolor: 'background.paper',
        '&& textarea': { maxHeight: 200 },
      }}
    >
      {files.length > 0 && <AttachmentList files={files} onRemove={remove} />}
      {problem && <Callout severity="warning">{problem}</Callout>}
      {/* On a phone the files stand above, so that the words keep the width. */}
      <Box sx={{ display: 'flex', flexWrap: { xs: 'wrap', sm: 'nowrap' }, columnGap: 1, alignItems: 'flex-end' }}>
        {takesFiles(kind) && <AttachButton kind={kind} onFiles={(picked) => void add(picked)} />}
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'flex-end', flex: { xs: '1 0 100%', sm: 1 }, minWidth: 0 }}>
          <Field
            label={t('compose')}
            hideLabel
            placeholder={blocked ?? t(hintOf(kind, typing))}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            multiline
            autoFocus={typing}
            inputRef={field}
          />
          <ActionButton busy={busy} denied={denied} onStop={onStop} />
        </Box>
      </Box>
    </Box>
  );
}

import SendIcon from '@mui/icons-material/SendOutlined';
import StopIcon from '@mui/icons-material/StopCircleOutlined';
import Box from '@mui/material/Box';
import type { ClipboardEvent, KeyboardEvent, ReactNode, SyntheticEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { Callout } from '../../components/feedback/callout.js';
import { DeniableButton } from '../../components/feedback/deniable-button.js';
import { Field } from '../../components/forms/field.js';
import { useMedia, useMobile } from '../../components/basics/use-media.js';
import { useKept } from '../../components/forms/use-kept.js';
import { DirtyGuard } from '../../components/overlays/dirty-guard.js';
import { AttachButton, AttachmentList, takesFiles } from './attachments.js';
import type { Attachment } from './conversation.js';
import type { ModelKind } from './model-kind.js';
import { useFiles } from './use-files.js';

interface ComposerProps {
  busy: boolean;
  /** Why nothing can be sent. */
  blocked?: string;
  kind: ModelKind;
  onSend: (text: string, files: Attachment[]) => void;
  onStop: () => void;
}

interface ActionProps {
  busy: boolean;
  /** The button was pressed while files are still being read. */
  waits: boolean;
  denied?: string;
  onStop: () => void;
}

/** The button that sends, or stops the current answer. In a narrow window it shows its icon only. */
function ActionButton({ busy, waits, denied, onStop }: ActionProps) {
  const { t } = useTranslation('playground');
  const mobile = useMobile();
  const label = t(busy ? 'stop' : 'send');
  const icon = busy ? <StopIcon fontSize="small" /> : <SendIcon fontSize="small" />;
  return (
    <DeniableButton
      // A key per state makes these two DOM elements, so that a press that begins on "Stop" cannot end as a submit.
      key={label}
      type={busy ? 'button' : 'submit'}
      variant={busy ? 'outlined' : 'contained'}
      color={busy ? 'error' : 'primary'}
      denied={busy ? undefined : denied}
      busy={waits}
      // The second click of a double click on "Send" is none on "Stop".
      onClick={busy ? ({ detail }) => void (detail !== 2 && onStop()) : undefined}
      startIcon={mobile ? undefined : icon}
      aria-label={label}
      sx={{ flexShrink: 0 }}
    >
      {mobile ? icon : label}
    </DeniableButton>
  );
}

/**
 * Returns the focus to the text field when the "Stop" or "Retry" button that had it is gone. Not on touch screens,
 * where the focus opens the keyboard.
 */
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

const hasContent = (kind: ModelKind, text: string, hasFiles: boolean): boolean =>
  kind === 'words' ? hasFiles : text.trim() !== '' || (kind === 'chat' && hasFiles);

/** Runs a submit that was made while files were being read as soon as all are read, unless one of them was refused. */
function useAfterReading(reading: boolean, refused: boolean, run: () => void) {
  const [waits, setWaits] = useState(false);
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!waits || reading) return;
    setWaits(false);
    if (!refused) latest.current();
  }, [waits, reading, refused]);
  return { waits, setWaits };
}

/** The attach button: beside the text field, or inside its frame in a narrow window. */
function useAttach(kind: ModelKind, onFiles: (files: File[]) => void): { beside?: ReactNode; within?: ReactNode } {
  const mobile = useMobile();
  if (!takesFiles(kind)) return {};
  const button = <AttachButton kind={kind} onFiles={onFiles} />;
  return mobile ? { within: <Box sx={{ alignSelf: 'flex-end', mr: -1 }}>{button}</Box> } : { beside: button };
}

const composerBox = {
  display: 'flex',
  flexDirection: 'column',
  gap: 1,
  p: { xs: 1.5, sm: 2 },
  borderTop: '1px solid',
  borderColor: 'border.subtle',
  bgcolor: 'background.paper',
  '&& textarea': { maxHeight: 200 },
} as const;

/** The typed text with its files: whether it can be sent, and why not. */
function useTyped({ busy, blocked, kind, onSend }: Omit<ComposerProps, 'onStop'>) {
  const { t } = useTranslation('playground');
  const [text, setText] = useState('');
  useKept<string>({
    id: 'composer',
    typed: () => (text.trim() === '' ? undefined : text),
    restore: setText,
    schema: z.string(),
  });
  const { files, problem, reading, add, remove, clear } = useFiles(kind);
  const ready = !busy && !blocked && hasContent(kind, text, reading || files.length > 0);
  const denied = ready ? undefined : (blocked ?? t(kind === 'words' ? 'noFile' : 'noText'));
  const send = () => {
    if (!ready) return;
    onSend(text.trim(), files);
    setText('');
    clear();
  };
  const { waits, setWaits } = useAfterReading(reading, problem !== undefined, send);
  return {
    ...{ text, files, problem, denied, waits, add, remove },
    submit: (event: SyntheticEvent) => {
      event.preventDefault();
      if (reading) setWaits(ready);
      else send();
    },
    write: (next: string) => {
      setText(next);
      setWaits(false);
    },
  };
}

type Typed = ReturnType<typeof useTyped>;

/** The text field with its attach button. Enter sends and Shift+Enter breaks the line. The Enter that ends an IME composition does not send. */
function TextField({
  typed,
  busy,
  blocked,
  kind,
}: Pick<ComposerProps, 'busy' | 'blocked' | 'kind'> & { typed: Typed }) {
  const { t } = useTranslation('playground');
  const { field, typing } = useReturn(busy);
  const attach = useAttach(kind, typed.add);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) typed.submit(event);
  };
  const onPaste = ({ clipboardData }: ClipboardEvent) => {
    if (clipboardData.files.length > 0 && takesFiles(kind)) typed.add([...clipboardData.files]);
  };
  return (
    <>
      {attach.beside}
      <Field
        label={t('compose')}
        hideLabel
        placeholder={blocked ?? t(hintOf(kind, typing))}
        value={typed.text}
        onChange={(event) => typed.write(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        multiline
        autoFocus={typing}
        inputRef={field}
        start={attach.within}
      />
    </>
  );
}

/** What is sent with the text, and what could not be attached. */
function Files({ typed: { files, problem, remove } }: { typed: Typed }) {
  return (
    <>
      {files.length > 0 && <AttachmentList files={files} onRemove={remove} />}
      {problem && (
        <Callout severity="warning" role="alert">
          {problem}
        </Callout>
      )}
    </>
  );
}

export function Composer({ onStop, ...props }: ComposerProps) {
  const typed = useTyped(props);
  const { busy, blocked, kind } = props;
  return (
    <Box component="form" data-composer onSubmit={typed.submit} sx={composerBox}>
      <DirtyGuard dirty={typed.text.trim() !== '' || typed.files.length > 0} samePage />
      <Files typed={typed} />
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'flex-end' }}>
        <TextField typed={typed} busy={busy} blocked={blocked} kind={kind} />
        <ActionButton busy={busy} waits={typed.waits} denied={typed.denied} onStop={onStop} />
      </Box>
    </Box>
  );
}

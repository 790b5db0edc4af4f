import AttachIcon from '@mui/icons-material/AttachFile';
import IconButton from '@mui/material/IconButton';
import type { ComponentProps } from 'react';
import { Suspense, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../components/basics/lazy-part.js';
import type { AttachmentList as List } from './attachment-list.js';
import type { Attachment } from './conversation.js';
import type { ModelKind } from './model-kind.js';

/** Media types that may be attached, by kind of model. */
const accepted: Readonly<Record<ModelKind, string>> = {
  chat: 'image/png,image/jpeg,image/webp,image/gif,audio/wav,audio/x-wav,audio/mpeg',
  words: 'audio/*,video/mp4,video/webm',
  picture: '',
  speech: '',
};
const MOST_FILES = 8;
const MOST_BYTES = 20 * 1024 * 1024;

export const takesFiles = (kind: ModelKind): boolean => accepted[kind] !== '';

const isAccepted = (type: string, kind: ModelKind): boolean =>
  accepted[kind]
    .split(',')
    .some((pattern) => pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))));

const read = (file: File): Promise<Attachment> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, type: file.type, url: String(reader.result) });
    reader.onerror = () => reject(reader.error ?? new Error('the file could not be read'));
    reader.readAsDataURL(file);
  });

/** Adds files to those already attached, or returns the key of the text that says why they are refused. */
export async function attached(
  files: readonly File[],
  before: readonly Attachment[],
  kind: ModelKind,
): Promise<{ files: Attachment[] } | { refused: 'badFile' | 'tooManyFiles' | 'largeFile' }> {
  const most = kind === 'words' ? 1 : MOST_FILES;
  if (files.some(({ type }) => !isAccepted(type, kind))) return { refused: 'badFile' };
  if (kind !== 'words' && before.length + files.length > most) return { refused: 'tooManyFiles' };
  const bytes = [...files.map(({ size }) => size), ...before.map(({ url }) => url.length * 0.75)];
  if (bytes.reduce((sum, size) => sum + size, 0) > MOST_BYTES) return { refused: 'largeFile' };
  const added = await Promise.all(files.map(read));
  // A transcription takes one sound, so the last one chosen replaces the others.
  return { files: [...before, ...added].slice(-most) };
}

interface AttachButtonProps {
  kind: ModelKind;
  onFiles: (files: File[]) => void;
}

export function AttachButton({ kind, onFiles }: AttachButtonProps) {
  const { t } = useTranslation('playground');
  const input = useRef<HTMLInputElement>(null);
  const label = t(kind === 'words' ? 'attachSound' : 'attach');
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple={kind === 'chat'}
        accept={accepted[kind]}
        aria-label={label}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <IconButton aria-label={label} title={label} onClick={() => input.current?.click()}>
        <AttachIcon fontSize="small" />
      </IconButton>
    </>
  );
}

const LazyList = lazyPart(async () => (await import('./attachment-list.js')).AttachmentList);

/** Loaded with the first file, because most conversations have none. */
export function AttachmentList(props: ComponentProps<typeof List>) {
  return (
    <Suspense fallback={null}>
      <LazyList {...props} />
    </Suspense>
  );
}

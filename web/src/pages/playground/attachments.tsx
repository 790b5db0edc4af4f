import AttachIcon from '@mui/icons-material/AttachFile';
import CloseIcon from '@mui/icons-material/Close';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
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

interface AttachmentListProps {
  files: readonly Attachment[];
  onRemove?: (file: Attachment) => void;
}

const isPicture = ({ type }: Attachment): boolean => type.startsWith('image/');

function RemoveButton({ name, onClick }: { name: string; onClick: () => void }) {
  const { t } = useTranslation('playground');
  const label = t('removeFile', { name });
  return (
    <IconButton size="small" aria-label={label} title={label} onClick={onClick}>
      <CloseIcon fontSize="inherit" />
    </IconButton>
  );
}

/** Attached pictures as thumbnails, and attached sounds by name with a player. */
export function AttachmentList({ files, onRemove }: AttachmentListProps) {
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {files.map((file) => (
        <Box
          component="li"
          key={file.url}
          sx={{ display: 'flex', alignItems: 'center', minWidth: 0, maxWidth: '100%' }}
        >
          {isPicture(file) ? (
            <Box
              component="img"
              src={file.url}
              alt={file.name}
              sx={{ height: onRemove ? 48 : 160, maxWidth: '100%', objectFit: 'contain', borderRadius: '4px' }}
            />
          ) : (
            <Box
              component="span"
              title={file.name}
              sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
            >
              {file.name}
            </Box>
          )}
          {onRemove && <RemoveButton name={file.name} onClick={() => onRemove(file)} />}
        </Box>
      ))}
    </Box>
  );
}

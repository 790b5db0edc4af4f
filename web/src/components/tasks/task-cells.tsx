import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import { useCopy } from '../texts/copy-button.js';
import { percentOf } from './task-list.js';
import { Tag, identityColor } from '../texts/tag.js';

/** A duration in seconds, green up to `most`. */
export function SpentTag({ seconds, most, text }: { seconds: number | undefined; most: number; text: string }) {
  if (seconds === undefined) return <Tag>N/A</Tag>;
  return <Tag color={seconds <= most ? 'green' : 'red'}>{text}</Tag>;
}

/** The id of a channel; a click copies it. */
export function ChannelTag({ id }: { id: number }) {
  const { copy, dialog } = useCopy();
  const text = String(id);
  return (
    <>
      <Tag
        color={identityColor(id)}
        title={text}
        onClick={() => void copy(text, { key: 'copy.text', params: { text } })}
      >
        {text}
      </Tag>
      {dialog}
    </>
  );
}

/** A progress bar with its number. The colour of a failed task is not its only mark, because its status is shown beside it. */
export function ProgressBar({ progress, failed, label }: { progress: string; failed: boolean; label: string }) {
  const percent = percentOf(progress);
  if (percent === undefined) return progress || '—';
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.75, minWidth: 0 }}>
      <LinearProgress
        variant="determinate"
        value={percent}
        color={failed ? 'error' : 'primary'}
        aria-label={label}
        sx={{ flex: 1, minWidth: 24, height: 6, borderRadius: 3 }}
      />
      <span>{progress}</span>
    </Box>
  );
}

/** Text cut to one line; a click opens the whole text. */
export function MoreText({ text, lang, onOpen }: { text: string; lang?: string; onOpen: () => void }) {
  if (text === '') return null;
  return (
    <Box
      component="button"
      type="button"
      title={text.slice(0, 400)}
      lang={lang}
      onClick={onOpen}
      sx={{
        border: 0,
        p: 0,
        font: 'inherit',
        background: 'none',
        color: 'inherit',
        cursor: 'pointer',
        minHeight: 24,
        maxWidth: '100%',
        overflow: 'hidden',
        textOverflow: 'ellipsis',
        whiteSpace: 'nowrap',
        textAlign: 'left',
        textDecoration: 'underline dotted',
        textUnderlineOffset: 3,
      }}
    >
      {text}
    </Box>
  );
}

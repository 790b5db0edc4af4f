import { styled } from '@mui/material/styles';
import type { KeyboardEvent } from 'react';
import { useEffect, useState } from 'react';

const Input = styled('input')({
  width: '100%',
  height: 28,
  padding: '0 6px',
  textAlign: 'right',
  font: 'inherit',
  color: 'inherit',
  background: 'none',
  border: '1px solid transparent',
  borderRadius: 4,
  '&:hover': { borderColor: 'var(--tg-palette-border-control)' },
  '&:focus': {
    outline: '2px solid var(--tg-palette-focus)',
    outlineOffset: -1,
    background: 'var(--tg-palette-background-paper)',
  },
  '&[aria-invalid]': { color: 'var(--tg-palette-error-main)', borderColor: 'var(--tg-palette-error-main)' },
});

interface InlineNumberProps {
  label: string;
  /** Undefined: the parts differ, the cell is blank. */
  value: number | undefined;
  min: number;
  /** Rejects when the server refuses; the cell then shows the old value again. */
  onSave: (value: number) => Promise<unknown>;
}

/** A number edited in place: Enter or leaving saves, Escape restores. */
export function InlineNumber({ label, value, min, onSave }: InlineNumberProps) {
  const stored = value === undefined ? '' : String(value);
  const [text, setText] = useState(stored);
  const [busy, setBusy] = useState(false);
  useEffect(() => setText(stored), [stored]);
  const valid = text === stored || (/^-?\d{1,9}$/.test(text) && Number(text) >= min);
  const save = async () => {
    if (text === stored || busy) return;
    if (!valid) {
      setText(stored);
      return;
    }
    setBusy(true);
    await onSave(Number(text)).catch(() => setText(stored));
    setBusy(false);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') event.currentTarget.blur();
    if (event.key === 'Escape') {
      setText(stored);
      event.stopPropagation();
    }
  };
  return (
    <Input
      aria-label={label}
      aria-invalid={!valid || undefined}
      aria-busy={busy}
      inputMode="numeric"
      title={text}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => void save()}
      onKeyDown={onKeyDown}
    />
  );
}

import { styled } from '@mui/material/styles';
import type { KeyboardEvent } from 'react';
import { useEffect, useState } from 'react';
import type { ApiError } from '../../api/api-error.js';
import { describeError, isApiError } from '../../api/api-error.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';

const toError = (problem: unknown): ApiError =>
  isApiError(problem) ? problem : { status: 200, message: describeError(problem) };

const Input = styled('input')({
  width: '100%',
  height: 28,
  padding: '0 6px',
  // A number whose end is out of sight is another number.
  textOverflow: 'ellipsis',
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
  /** Rejects when the server refuses, which is announced here, or when it was cancelled; the cell then shows the old value again. */
  onSave: (value: number) => Promise<unknown>;
}

/** The person thought better of it. */
export class Cancelled extends Error {}

/** A number edited in place: Enter or leaving saves, Escape restores. */
export function InlineNumber({ label, value, min, onSave }: InlineNumberProps) {
  const stored = value === undefined ? '' : String(value);
  const [text, setText] = useState(stored);
  const [busy, setBusy] = useState(false);
  const dispatch = useAppDispatch();
  useEffect(() => setText(stored), [stored]);
  const valid = text === stored || (/^-?\d{1,9}$/.test(text) && Number(text) >= min);
  const save = async () => {
    if (text === stored || busy) return;
    if (!valid) {
      setText(stored);
      return;
    }
    setBusy(true);
    try {
      await onSave(Number(text));
    } catch (problem) {
      setText(stored);
      if (!(problem instanceof Cancelled)) dispatch(toastShown({ severity: 'error', error: toError(problem) }));
    } finally {
      setBusy(false);
    }
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

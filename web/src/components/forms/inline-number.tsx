import { styled } from '@mui/material/styles';
import type { KeyboardEvent } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { ApiError } from '../../api/api-error.js';
import { describeError, isApiError } from '../../api/api-error.js';
import type { TextKey } from '../../app/i18n/text-keys.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';

const toError = (problem: unknown): ApiError =>
  isApiError(problem) ? problem : { status: 200, message: describeError(problem) };

const Input = styled('input')({
  width: '100%',
  height: 28,
  padding: '0 6px',
  // A clipped number could be mistaken for a smaller one, so an ellipsis marks it.
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
  /** `undefined` if the combined values differ; the cell is then blank. */
  value: number | undefined;
  min: number;
  max: number;
  /** A smaller number is saved as `min`. */
  clamps?: boolean;
  /** Said where the text is no number. */
  invalid: TextKey;
  /** Said where it is a number below `min`. */
  tooSmall: TextKey;
  /** Said where it is a number above `max`, which the text may name as `{{max, integer}}`. */
  tooLarge: TextKey;
  /** Rejects if the server refuses, or with `Cancelled`. The cell then shows its old value, and a toast shows the refusal. */
  onSave: (value: number) => Promise<unknown>;
}

/** Rejection of `onSave` when the user cancels; no toast is shown. */
export class Cancelled extends Error {}

/** The edit in progress. */
interface Edit {
  /** `onSave` of the render in which the user began to type, which overwrites only the value seen then. */
  save: InlineNumberProps['onSave'];
  /** The user left the field while the previous edit was still being saved. */
  left: boolean;
  /** The user was told that the text, as it is now, cannot be saved. */
  told: boolean;
}

/** Why the text cannot be saved. */
function faultOf(text: string, { min, max, clamps, ...texts }: Omit<InlineNumberProps, 'label' | 'value' | 'onSave'>) {
  if (!/^-?\d+$/.test(text)) return texts.invalid;
  if (Number(text) > max) return texts.tooLarge;
  return Number(text) < min && !clamps ? texts.tooSmall : undefined;
}

/**
 * The text of the cell. It follows the stored value while nobody edits it; an edit is saved by Enter or when the user leaves the field, and
 * the previous save has ended. A text that cannot be saved stays.
 */
function useEdit({ value, onSave, ...rules }: Omit<InlineNumberProps, 'label'>) {
  const stored = value === undefined ? '' : String(value);
  const [text, setText] = useState(stored);
  const [busy, setBusy] = useState(false);
  const edit = useRef<Edit>(undefined);
  /** The text of the last save; `undefined` if there was none or it failed. */
  const sent = useRef<string>(undefined);
  const dispatch = useAppDispatch();
  const fault = text === stored ? undefined : faultOf(text, rules);
  const valid = fault === undefined;
  const follow = () => {
    edit.current = undefined;
    setText(stored);
  };
  const save = async () => {
    const own = edit.current;
    if (own && busy) own.left = true;
    if (!own || busy) return;
    if (!valid) {
      // The text stays, to be corrected.
      own.left = false;
      own.told = true;
      dispatch(toastShown({ severity: 'error', key: fault, params: { max: rules.max } }));
      return;
    }
    const number = Math.max(rules.min, Number(text));
    if (text === stored || String(number) === stored) return follow();
    edit.current = undefined;
    setText(String(number));
    sent.current = String(number);
    setBusy(true);
    try {
      await own.save(number);
    } catch (problem) {
      sent.current = undefined;
      if (!edit.current) latest.current.follow();
      if (!(problem instanceof Cancelled)) dispatch(toastShown({ severity: 'error', error: toError(problem) }));
    } finally {
      setBusy(false);
    }
  };
  const latest = useRef({ follow, save, onSave });
  latest.current = { follow, save, onSave };
  useEffect(() => {
    if (!edit.current) setText(stored);
  }, [stored]);
  useEffect(() => {
    const own = edit.current;
    const isAnswered = sent.current === undefined || sent.current === stored;
    if (!own?.left || busy || !isAnswered) return;
    own.save = latest.current.onSave;
    void latest.current.save();
  }, [stored, busy]);
  const type = (typed: string) => {
    edit.current ??= { save: onSave, left: false, told: false };
    Object.assign(edit.current, { left: false, told: false });
    setText(typed);
  };
  const leave = () => {
    // What Enter was refused for is not said twice.
    if (valid || !edit.current?.told) void save();
  };
  return { text, valid, busy, type, save, leave, follow };
}

/** A number edited in place: Enter or leaving the field saves, Escape restores. */
export function InlineNumber({ label, ...of }: InlineNumberProps) {
  const { text, valid, busy, type, save, leave, follow } = useEdit(of);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      // A question that saving asks takes the focus at once, and the same key stroke would answer it.
      event.preventDefault();
      void save();
    }
    if (event.key === 'Escape') {
      follow();
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
      onChange={(event) => type(event.target.value)}
      onBlur={leave}
      onKeyDown={onKeyDown}
    />
  );
}

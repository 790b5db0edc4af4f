import type { InputHTMLAttributes, ReactNode, Ref, TextareaHTMLAttributes } from 'react';
import { useId } from 'react';
import { hintCut } from '../basics/cut-hint.js';
import { FieldFrame } from './field-style.js';

type Native = Omit<InputHTMLAttributes<HTMLInputElement> & TextareaHTMLAttributes<HTMLTextAreaElement>, 'id' | 'width'>;

export interface FieldProps extends Native {
  label: string;
  hideLabel?: boolean;
  helperText?: ReactNode;
  error?: boolean;
  /** Why the field cannot be changed now; it stays readable and focusable. */
  denied?: string;
  /** A multi-line field, which grows with its content. */
  multiline?: boolean;
  inputRef?: Ref<HTMLInputElement & HTMLTextAreaElement>;
  start?: ReactNode;
  end?: ReactNode;
  width?: number | string;
  /** Monospaced, for ids and code. */
  mono?: boolean;
}

/** Under a field: what is wrong with it comes before why it cannot be changed. */
export const helpOf = ({
  error,
  denied,
  helperText,
}: Pick<FieldProps, 'error' | 'denied' | 'helperText'>): ReactNode =>
  error ? helperText || denied : (denied ?? helperText);

interface ShellProps extends Pick<FieldProps, 'label' | 'hideLabel' | 'helperText' | 'error' | 'disabled' | 'width'> {
  id: string;
  children: ReactNode;
}

/** Frame, label and help text around a native control. */
export function FieldShell({
  id,
  label,
  hideLabel = false,
  helperText,
  error = false,
  disabled,
  width,
  children,
}: ShellProps) {
  return (
    <FieldFrame
      style={{ width: width ?? '100%' }}
      data-error={error || undefined}
      data-disabled={disabled || undefined}
      data-hint
      onMouseOver={hintCut}
    >
      {!hideLabel && <label htmlFor={id}>{label}</label>}
      <div className="control">
        {children}
        <fieldset aria-hidden>
          {!hideLabel && (
            <legend>
              <span>{label}</span>
            </legend>
          )}
        </fieldset>
      </div>
      {helperText && (
        <div className="help" id={`${id}-help`}>
          {helperText}
        </div>
      )}
    </FieldFrame>
  );
}

const monospaced = { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace', fontSize: '0.8125rem' };
/** The placeholder is not monospaced, even if the value is. */
const monoOf = (value: FieldProps['value']) => (value === '' ? undefined : monospaced);

/** A labelled text field of one line or several. */
export function Field(props: FieldProps) {
  const {
    label,
    hideLabel,
    helperText: _,
    error,
    multiline = false,
    inputRef,
    start,
    end,
    width,
    mono = false,
    disabled,
    denied,
    ...input
  } = props;
  const id = useId();
  const help = helpOf(props);
  const shared = {
    ...input,
    id,
    disabled,
    ...(denied && { readOnly: true, 'aria-disabled': true }),
    'aria-invalid': error || undefined,
    'aria-label': hideLabel ? label : undefined,
    'aria-describedby': help ? `${id}-help` : undefined,
    style: mono ? monoOf(input.value) : undefined,
  };
  return (
    <FieldShell
      id={id}
      label={label}
      hideLabel={hideLabel}
      helperText={help}
      error={error}
      disabled={disabled || denied !== undefined}
      width={width}
    >
      {start}
      {multiline ? <textarea {...shared} ref={inputRef} /> : <input {...shared} ref={inputRef} />}
      {end && <span className="end">{end}</span>}
    </FieldShell>
  );
}

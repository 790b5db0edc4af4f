import ArrowIcon from '@mui/icons-material/ArrowDropDown';
import type { ReactNode, Ref } from 'react';
import { useId } from 'react';
import { FieldShell, helpOf } from './field.js';

export interface Option {
  value: string;
  label: string;
}

interface NativeFieldProps {
  label: string;
  hideLabel?: boolean;
  value: string;
  onChange: (value: string) => void;
  options: Option[];
  width?: number | string;
  helperText?: ReactNode;
  error?: boolean;
  selectRef?: Ref<HTMLSelectElement>;
  disabled?: boolean;
  /** Why no other value can be chosen now; the field stays readable and focusable. */
  denied?: string;
  name?: string;
}

/** A choice from a short list: the browser's own select in the style of the console's fields. */
export function NativeField(props: NativeFieldProps) {
  const { label, hideLabel, value, onChange, options, width, error, disabled, denied, name } = props;
  const id = useId();
  const help = helpOf(props);
  const shut = disabled || denied !== undefined;
  const offered = denied === undefined ? options : options.filter((option) => option.value === value);
  return (
    <FieldShell {...{ id, label, hideLabel, error, width }} helperText={help} disabled={shut}>
      <select
        id={id}
        ref={props.selectRef}
        aria-invalid={error || undefined}
        name={name}
        value={value}
        disabled={disabled}
        aria-disabled={denied === undefined ? undefined : true}
        aria-label={hideLabel ? label : undefined}
        aria-describedby={help ? `${id}-help` : undefined}
        onChange={(event) => onChange(event.target.value)}
      >
        {offered.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ArrowIcon className="arrow" />
    </FieldShell>
  );
}

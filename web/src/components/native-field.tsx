import ArrowIcon from '@mui/icons-material/ArrowDropDown';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { FieldShell } from './field.js';

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
  disabled?: boolean;
  name?: string;
}

/** A short choice: the browser's own list, with the look of our fields. */
export function NativeField(props: NativeFieldProps) {
  const { label, hideLabel, value, onChange, options, width, helperText, disabled, name } = props;
  const id = useId();
  return (
    <FieldShell id={id} label={label} hideLabel={hideLabel} helperText={helperText} disabled={disabled} width={width}>
      <select
        id={id}
        name={name}
        value={value}
        disabled={disabled}
        aria-label={hideLabel ? label : undefined}
        aria-describedby={helperText ? `${id}-help` : undefined}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ArrowIcon className="arrow" />
    </FieldShell>
  );
}

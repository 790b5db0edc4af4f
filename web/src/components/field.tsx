import FormControl from '@mui/material/FormControl';
import FormHelperText from '@mui/material/FormHelperText';
import InputLabel from '@mui/material/InputLabel';
import type { OutlinedInputProps } from '@mui/material/OutlinedInput';
import OutlinedInput from '@mui/material/OutlinedInput';
import type { ReactNode } from 'react';
import { useId } from 'react';

export interface FieldProps extends Omit<OutlinedInputProps, 'id' | 'label' | 'size'> {
  label: string;
  helperText?: ReactNode;
}

/** One line of text with its label; the library's TextField would bring the whole select with it. */
export function Field({ label, helperText, error, required, disabled, fullWidth = true, sx, ...input }: FieldProps) {
  const id = useId();
  const helpId = `${id}-help`;
  return (
    <FormControl size="small" fullWidth={fullWidth} error={error} required={required} disabled={disabled} sx={sx}>
      <InputLabel htmlFor={id}>{label}</InputLabel>
      <OutlinedInput id={id} label={label} aria-describedby={helperText ? helpId : undefined} {...input} />
      {helperText && <FormHelperText id={helpId}>{helperText}</FormHelperText>}
    </FormControl>
  );
}

import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useController } from 'react-hook-form';
import { hintCut } from '../basics/cut-hint.js';

interface FormListProps<T extends FieldValues> {
  control: Control<T>;
  name: FieldPath<T>;
  label: string;
  options: string[];
  helperText?: ReactNode;
  /** Why nothing can be chosen. */
  denied?: string;
  /** Values outside the options may be typed. */
  free?: boolean;
  check?: (value: string[]) => string | undefined;
  placeholder?: string;
}

/** A focused field shows all its values, which may push the input out of view. */
const bringIntoView = ({ target }: { target: Element }): void => {
  requestAnimationFrame(() => target.scrollIntoView?.({ block: 'nearest' }));
};

/** Several values out of a long list. It uses MUI's autocomplete, so only pages with such a field load it. */
export function FormList<T extends FieldValues>(props: FormListProps<T>) {
  const { control, name, label, options, helperText, denied, free = false, check, placeholder } = props;
  const { field, fieldState } = useController({
    control,
    name,
    rules: { validate: (value: string[]) => check?.(value) ?? true },
  });
  const [text, setText] = useState('');
  const value: string[] = field.value ?? [];
  const leave = () => {
    const typed = text.trim();
    if (free && typed !== '') {
      if (!value.includes(typed)) field.onChange([...value, typed]);
      setText('');
    }
    field.onBlur();
  };
  return (
    <Autocomplete<string, true, false, boolean>
      multiple
      disableCloseOnSelect
      freeSolo={free}
      readOnly={denied !== undefined}
      options={options}
      value={value}
      onChange={(_, next) => field.onChange(next)}
      inputValue={text}
      onInputChange={(_, next) => setText(next)}
      onBlur={leave}
      onFocus={bringIntoView}
      data-hint
      onMouseOver={hintCut}
      limitTags={24}
      size="small"
      slotProps={{ chip: { size: 'small' } }}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          placeholder={placeholder}
          error={Boolean(fieldState.error)}
          helperText={fieldState.error?.message || (denied ?? helperText)}
          inputRef={field.ref}
        />
      )}
    />
  );
}

import { styled } from '@mui/material/styles';
import { useEffect, useRef } from 'react';

const Input = styled('input')({
  width: 16,
  height: 16,
  margin: 4,
  verticalAlign: 'middle',
  accentColor: 'var(--tg-palette-primary-main)',
  cursor: 'pointer',
  '&:focus-visible': { outline: '2px solid var(--tg-palette-focus)', outlineOffset: 2 },
});

interface CheckBoxProps {
  checked: boolean;
  indeterminate?: boolean;
  /** `range`: the Shift key was pressed. */
  onToggle: (range: boolean) => void;
  label: string;
}

/** The native checkbox for table rows, which is cheap to render a hundred times. */
export function CheckBox({ checked, indeterminate = false, onToggle, label }: CheckBoxProps) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = indeterminate;
  }, [indeterminate]);
  return (
    <Input
      ref={ref}
      type="checkbox"
      checked={checked}
      aria-label={label}
      onChange={(event) => onToggle(event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
    />
  );
}

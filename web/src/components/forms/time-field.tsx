import CalendarIcon from '@mui/icons-material/CalendarMonthOutlined';
import IconButton from '@mui/material/IconButton';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from './field.js';
import { formatTime, parseTime } from '../basics/time-format.js';

interface TimeFieldProps {
  label: string;
  /** The text as typed: `YYYY-MM-DD HH:mm:ss`. */
  value: string;
  onChange: (text: string) => void;
  onLeave?: () => void;
  problem?: string;
  width?: number | string;
  helperText?: string;
  /** The value that applies while the field is empty. */
  placeholder?: string;
}

const hidden = {
  position: 'absolute',
  right: 16,
  bottom: 0,
  width: 0,
  minHeight: 0,
  height: 0,
  padding: 0,
  opacity: 0,
} as const;

/** The button that opens the browser's calendar, at the time that is typed. */
function Calendar({ value, onChange }: Pick<TimeFieldProps, 'value' | 'onChange'>) {
  const { t } = useTranslation();
  const picker = useRef<HTMLInputElement>(null);
  const open = () => {
    const input = picker.current;
    if (!input) return;
    const seconds = parseTime(value);
    input.value = seconds === undefined ? '' : formatTime(seconds).replace(' ', 'T');
    input.showPicker?.();
  };
  const pick = (text: string) => {
    const picked = parseTime(text);
    if (picked !== undefined) onChange(formatTime(picked));
  };
  return (
    <>
      <input
        ref={picker}
        type="datetime-local"
        step={1}
        tabIndex={-1}
        aria-hidden
        style={hidden}
        onChange={(event) => pick(event.target.value)}
      />
      <IconButton size="small" aria-label={t('time.pick')} title={t('time.pick')} onClick={open} sx={{ p: 0.5 }}>
        <CalendarIcon sx={{ fontSize: 16 }} />
      </IconButton>
    </>
  );
}

/** A time, typed in one format regardless of the browser's locale; the browser's calendar can fill it in. */
export function TimeField({
  label,
  value,
  onChange,
  onLeave,
  problem,
  width,
  helperText,
  placeholder,
}: TimeFieldProps) {
  return (
    <Field
      label={label}
      value={value}
      width={width}
      placeholder={placeholder ?? 'YYYY-MM-DD HH:mm:ss'}
      error={Boolean(problem)}
      helperText={problem ?? helperText}
      onChange={(event) => onChange(event.target.value)}
      onBlur={onLeave}
      end={<Calendar value={value} onChange={onChange} />}
    />
  );
}

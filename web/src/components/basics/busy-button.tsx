import type { ButtonProps } from '@mui/material/Button';
import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';

export interface BusyButtonProps extends Omit<ButtonProps, 'loading' | 'className'> {
  busy?: boolean;
  /** Shown while the button is busy, instead of a turning circle. */
  busyText?: string;
}

/**
 * A button whose presses have no effect while its action runs. It looks disabled then, but is not: a disabled button loses the focus, and
 * who uses the keyboard would have to start at the top of the page again.
 */
export function BusyButton({ busy, busyText, ...button }: BusyButtonProps) {
  if (!busy) return <Button {...button} />;
  return (
    <Button
      {...button}
      aria-busy
      aria-disabled
      className="Mui-disabled"
      // A press must not reach what is behind the button, because that would take the focus.
      style={{ pointerEvents: 'auto', color: busyText ? undefined : 'transparent' }}
      // The button may be a submit button, which Enter in a field presses, too.
      onClick={(event) => event.preventDefault()}
    >
      {busyText ?? button.children}
      {!busyText && <CircularProgress aria-hidden size={16} sx={{ position: 'absolute', color: 'action.disabled' }} />}
    </Button>
  );
}

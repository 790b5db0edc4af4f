import Box from '@mui/material/Box';
import type { ButtonProps } from '@mui/material/Button';
import Button, { buttonClasses } from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import type { CSSProperties } from 'react';

export interface BusyButtonProps extends Omit<ButtonProps, 'loading'> {
  busy?: boolean;
  /** Shown while the button is busy, instead of a turning circle. */
  busyText?: string;
}

/** A press must not reach what is behind the button, because that would take the focus. */
const reachable: CSSProperties = { pointerEvents: 'auto', cursor: 'default' };
const turning: CSSProperties = { ...reachable, color: 'transparent' };

function Turning() {
  return (
    <Box
      component="span"
      aria-hidden
      sx={{
        position: 'absolute',
        left: '50%',
        display: 'flex',
        transform: 'translate(-50%)',
        color: 'action.disabled',
      }}
    >
      <CircularProgress color="inherit" size={16} />
    </Box>
  );
}

/**
 * A button whose presses have no effect while its action runs. It looks disabled then, but is not: a disabled button loses the focus, and
 * who uses the keyboard would have to start at the top of the page again.
 */
export function BusyButton({
  busy = false,
  busyText,
  onClick,
  children,
  style,
  className,
  ...button
}: BusyButtonProps) {
  if (!busy) return <Button {...{ onClick, children, style, className, ...button }} />;
  return (
    <Button
      {...button}
      aria-busy
      aria-disabled
      className={`${className ?? ''} ${buttonClasses.disabled}`}
      style={{ ...style, ...(busyText === undefined ? turning : reachable) }}
      // The button may be a submit button, which Enter in a field presses, too.
      onClick={(event) => event.preventDefault()}
    >
      {busyText ?? children}
      {busyText === undefined && <Turning />}
    </Button>
  );
}

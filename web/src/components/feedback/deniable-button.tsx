import type { IconButtonProps } from '@mui/material/IconButton';
import IconButton from '@mui/material/IconButton';
import { useDeniable } from '../basics/use-deniable.js';
import type { BusyButtonProps } from '../basics/busy-button.js';
import { BusyButton } from '../basics/busy-button.js';

interface Deniable {
  /** Why the button has no effect now; `undefined` if it works. */
  denied: string | undefined;
}

/** A button that may be denied: it stays in the tab order and shows the reason when pressed, which a disabled button cannot. */
export function DeniableButton({ denied, onClick, ...button }: BusyButtonProps & Deniable) {
  const deniable = useDeniable();
  return <BusyButton {...button} {...deniable(denied, onClick)} style={{ opacity: denied ? 0.6 : 1 }} />;
}

/** The same as an icon button; its tooltip is its name, or the reason while it is denied. */
export function DeniableIcon({ denied, onClick, title, ...button }: IconButtonProps & Deniable) {
  const deniable = useDeniable();
  return (
    <IconButton
      {...button}
      {...deniable(denied, onClick)}
      title={denied ?? title}
      style={{ opacity: denied ? 0.5 : 1 }}
    />
  );
}

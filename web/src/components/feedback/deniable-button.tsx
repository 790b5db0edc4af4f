import type { ButtonProps } from '@mui/material/Button';
import Button from '@mui/material/Button';
import type { IconButtonProps } from '@mui/material/IconButton';
import IconButton from '@mui/material/IconButton';
import { useDeniable } from '../basics/use-deniable.js';

interface Deniable {
  /** Why it does nothing now; undefined: it works. */
  denied: string | undefined;
}

/** A button of a form that may not be pressed yet: it is reached as any other and says why, instead of vanishing from the order of keys. */
export function DeniableButton({ denied, onClick, ...button }: ButtonProps & Deniable) {
  const deniable = useDeniable();
  return <Button {...button} {...deniable(denied, onClick)} style={{ opacity: denied ? 0.6 : 1 }} />;
}

/** The same of a picture, whose name is told while it works. */
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

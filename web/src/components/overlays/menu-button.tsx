import type { ButtonProps } from '@mui/material/Button';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import type { ReactNode } from 'react';
import { Suspense, useId, useState } from 'react';
import { lazyPart } from '../basics/lazy-part.js';
import { visuallyHidden } from '../basics/visually-hidden.js';
import type { MenuEntry } from './menu-entry.js';

const loadList = () => import('./menu-list.js');
const preload = () => void loadList().catch(() => undefined);
const MenuList = lazyPart(async () => (await loadList()).MenuList);

interface MenuButtonProps {
  /** Accessible name; visible too if there is no `icon`. */
  label: string;
  icon?: ReactNode;
  children?: ReactNode;
  entries: MenuEntry[];
  header?: ReactNode;
  variant?: ButtonProps['variant'];
  tabIndex?: number;
}

/** A button with a menu, whose code is loaded when the pointer or the focus reaches the button. */
export function MenuButton({ label, icon, children, entries, header, variant = 'text', tabIndex }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const id = useId();
  const shared = {
    id: `${id}-button`,
    'aria-haspopup': 'menu' as const,
    'aria-expanded': anchor !== null,
    'aria-controls': anchor ? `${id}-menu` : undefined,
    onClick: (event: React.MouseEvent<HTMLElement>) => setAnchor(event.currentTarget),
    onPointerEnter: preload,
    onFocus: preload,
    tabIndex,
  };
  return (
    <>
      {icon ? (
        <IconButton {...shared} size="small" aria-label={label} title={label} color="inherit">
          {icon}
        </IconButton>
      ) : (
        <Button {...shared} variant={variant} color="inherit">
          {children}
          <span style={children ? visuallyHidden : undefined}>{label}</span>
        </Button>
      )}
      {anchor && (
        <Suspense fallback={null}>
          <MenuList
            id={`${id}-menu`}
            labelledBy={`${id}-button`}
            anchor={anchor}
            entries={entries}
            header={header}
            onClose={() => setAnchor(null)}
          />
        </Suspense>
      )}
    </>
  );
}

import Box from '@mui/material/Box';
import Divider from '@mui/material/Divider';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import type { MenuEntry } from './menu-entry.js';

interface MenuListProps {
  id: string;
  labelledBy: string;
  anchor: HTMLElement;
  entries: MenuEntry[];
  header?: ReactNode;
  onClose: () => void;
}

const linkProps = (href: string | undefined) => (href ? { component: Link, to: href } : {});

export function MenuList({ id, labelledBy, anchor, entries, header, onClose }: MenuListProps) {
  // Icons only if every entry has one; a single icon would only indent its own text.
  const pictured = entries.every(({ icon }) => icon !== undefined);
  return (
    <Menu
      id={id}
      open
      anchorEl={anchor}
      onClose={onClose}
      slotProps={{
        list: { 'aria-labelledby': labelledBy, dense: true },
        paper: { sx: { minWidth: 180, maxWidth: 360 } },
      }}
    >
      {header && <Box sx={{ px: 2, py: 1 }}>{header}</Box>}
      {entries.flatMap(({ id: key, label, icon, run, selected, danger, disabledReason, divided, href }) => [
        divided ? <Divider key={`${key}-line`} /> : null,
        <MenuItem
          key={key}
          {...linkProps(href)}
          selected={selected}
          aria-disabled={disabledReason ? true : undefined}
          title={disabledReason}
          sx={{ minHeight: 36, color: danger ? 'error.main' : undefined, opacity: disabledReason ? 0.6 : 1 }}
          onClick={() => {
            if (disabledReason) return;
            onClose();
            run();
          }}
        >
          {pictured && <ListItemIcon sx={{ color: 'inherit' }}>{icon}</ListItemIcon>}
          <ListItemText primary={label} secondary={disabledReason} />
        </MenuItem>,
      ])}
    </Menu>
  );
}

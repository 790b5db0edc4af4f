import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { TagColor } from '../../app/palette.js';
import { tagColors } from '../../app/palette.js';
import { framedWhenForced } from '../basics/forced-colors.js';

interface TagProps {
  color?: TagColor;
  /** Makes the tag a button. */
  onClick?: () => void;
  title?: string;
  children: ReactNode;
}

/** A coloured word without an icon; the colour is decoration, the word has the meaning. */
export function Tag({ color = 'grey', onClick, title, children }: TagProps) {
  return (
    <Box
      component={onClick ? 'button' : 'span'}
      type={onClick ? 'button' : undefined}
      onClick={onClick}
      data-badge
      title={title}
      sx={{
        // A block, because a flex container does not show an ellipsis.
        display: 'inline-block',
        verticalAlign: 'middle',
        minHeight: 20,
        maxWidth: '100%',
        px: 0.75,
        border: 0,
        borderRadius: '4px',
        font: 'inherit',
        fontSize: '0.75rem',
        lineHeight: '20px',
        whiteSpace: 'nowrap',
        textAlign: 'left',
        overflow: 'hidden',
        textOverflow: 'ellipsis',
        cursor: onClick ? 'pointer' : undefined,
        color: `tag.${color}.text`,
        bgcolor: `tag.${color}.background`,
        ...framedWhenForced,
      }}
    >
      {children}
    </Box>
  );
}

/** The colour of a name (by the sum of its character codes) or of an id, from the alphabetical list of colours. */
export function identityColor(of: string | number): TagColor {
  const sum = typeof of === 'number' ? of : [...of].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return tagColors[Math.abs(sum) % tagColors.length] ?? 'grey';
}

import Box from '@mui/material/Box';
import type { BoxProps } from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useId } from 'react';

interface CardProps extends Omit<BoxProps, 'title'> {
  title?: ReactNode;
  /** The level of the title: `h3` for a card below a heading of its own. */
  heading?: 'h2' | 'h3';
  action?: ReactNode;
}

/** A section of a page on its own background, with a border and a padding of 16 px. */
export function Card({ title, heading = 'h2', action, children, sx, ...props }: CardProps) {
  const id = useId();
  return (
    <Box
      component="section"
      aria-labelledby={title ? id : undefined}
      {...props}
      sx={[
        {
          bgcolor: 'background.paper',
          border: '1px solid',
          borderColor: 'border.subtle',
          borderRadius: '8px',
          p: 2,
          minWidth: 0,
        },
        ...(Array.isArray(sx) ? sx : [sx]),
      ]}
    >
      {title && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 2, flexWrap: 'wrap' }}>
          <Typography variant="h6" component={heading} id={id} sx={{ flex: '1 1 auto', minWidth: 0 }}>
            {title}
          </Typography>
          {action}
        </Box>
      )}
      {children}
    </Box>
  );
}

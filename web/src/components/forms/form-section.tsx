import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import type { ReactNode } from 'react';

interface FormSectionProps {
  title: string;
  /** What is set inside, read while it is closed. */
  summary?: string;
  /** Closed until it is opened. */
  advanced?: boolean;
  children: ReactNode;
}

const summaryStyle = {
  cursor: 'pointer',
  py: 0.5,
  typography: 'subtitle1',
  '&:focus-visible': { outline: '2px solid', outlineColor: 'focus', outlineOffset: 2, borderRadius: '4px' },
} as const;

/** A named part of a long form; advanced parts are closed with a word on what they hold. */
export function FormSection({ title, summary, advanced = false, children }: FormSectionProps) {
  return (
    <Box component="details" open={!advanced || undefined} sx={{ borderTop: 1, borderColor: 'border.subtle', pt: 1 }}>
      <Box component="summary" sx={summaryStyle}>
        {title}
        {summary && (
          <Box component="span" sx={{ typography: 'caption', color: 'text.tertiary', ml: 1 }}>
            {summary}
          </Box>
        )}
      </Box>
      <Stack spacing={2.5} sx={{ pt: 2, pb: 1 }}>
        {children}
      </Stack>
    </Box>
  );
}

import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';

interface FormSectionProps {
  title: string;
  /** The current settings of the section in short, shown while it is closed. */
  summary?: string;
  /** Closed at first. */
  advanced?: boolean;
  children: ReactNode;
}

const summaryStyle = {
  cursor: 'pointer',
  py: 0.5,
  typography: 'subtitle1',
  '&:focus-visible': { outline: '2px solid', outlineColor: 'focus', outlineOffset: 2, borderRadius: '4px' },
} as const;

const REFUSED = '[aria-invalid="true"]';

/** Opens the section when a field inside is refused, and focuses that field. Otherwise the submit button would seem to have no effect. */
function useOpenForRefusals() {
  const section = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const part = section.current;
    if (!part) return;
    const show = () => {
      const refused = part.querySelector<HTMLElement>(REFUSED);
      if (part.open || !refused) return;
      part.open = true;
      if (!document.activeElement?.matches(REFUSED)) refused.focus();
    };
    const watch = new MutationObserver(show);
    watch.observe(part, { subtree: true, attributeFilter: ['aria-invalid'] });
    const form = part.closest('form');
    form?.addEventListener('submit', show);
    return () => {
      watch.disconnect();
      form?.removeEventListener('submit', show);
    };
  }, []);
  return section;
}

/** A titled section of a long form; advanced sections are closed at first and show a summary. */
export function FormSection({ title, summary, advanced = false, children }: FormSectionProps) {
  const section = useOpenForRefusals();
  return (
    <Box
      component="details"
      ref={section}
      open={!advanced || undefined}
      sx={{ borderTop: 1, borderColor: 'border.subtle', pt: 1 }}
    >
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

import Box from '@mui/material/Box';
import DOMPurify from 'dompurify';
import { useMemo } from 'react';

const policy = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: [
    'style',
    'form',
    'input',
    'button',
    'textarea',
    'select',
    'iframe',
    'object',
    'embed',
    'link',
    'meta',
    'base',
  ],
  FORBID_ATTR: ['style', 'srcset'],
  ADD_ATTR: ['target'],
};

/** Removes everything active from an operator's HTML; links open in a new tab without referrer. */
function sanitize(html: string): string {
  const body = DOMPurify.sanitize(html, { ...policy, RETURN_DOM: true }) as HTMLElement;
  for (const link of body.querySelectorAll('a[href]')) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  return body.innerHTML;
}

export function OperatorHtml({ html }: { html: string }) {
  const clean = useMemo(() => sanitize(html), [html]);
  return (
    <Box sx={{ overflowWrap: 'anywhere', '& img': { maxWidth: '100%' } }} dangerouslySetInnerHTML={{ __html: clean }} />
  );
}

import Box from '@mui/material/Box';
import { memo } from 'react';
import ReactMarkdown from 'react-markdown';
import type { Components } from 'react-markdown';

/** No raw HTML; a picture elsewhere is a link, so that reading a text calls no foreign host. */
const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noopener noreferrer nofollow">
      {alt || String(src)}
    </a>
  ),
};

const style = {
  overflowWrap: 'anywhere',
  '& > :first-of-type': { mt: 0 },
  '& > :last-child': { mb: 0 },
  '& p, & ul, & ol, & pre, & blockquote': { my: 1 },
  '& pre': { p: 1.5, borderRadius: '6px', bgcolor: 'background.sunken', overflowX: 'auto' },
  '& code': { typography: 'mono' },
  '& blockquote': { mx: 0, pl: 2, borderLeft: '3px solid', borderColor: 'border.control', color: 'text.secondary' },
  '& table': { borderCollapse: 'collapse', display: 'block', overflowX: 'auto' },
  '& td, & th': { border: '1px solid', borderColor: 'border.subtle', px: 1, py: 0.5 },
} as const;

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <Box sx={style}>
      <ReactMarkdown components={components}>{text}</ReactMarkdown>
    </Box>
  );
});

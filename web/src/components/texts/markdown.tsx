import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { isValidElement, memo } from 'react';
import ReactMarkdown from 'react-markdown';
import type { Components } from 'react-markdown';
import { useTranslation } from 'react-i18next';
import remarkGfm from 'remark-gfm';
import { CopyButton } from './copy-button.js';

interface CodeProps {
  className?: string;
  children?: ReactNode;
}

/** A code block with its language and a copy button. */
function CodeBlock({ children }: { children?: ReactNode }) {
  const code = isValidElement<CodeProps>(children) ? children.props : {};
  const language = /language-(\S+)/.exec(code.className ?? '')?.[1];
  return (
    <Box className="code">
      <Box className="bar">
        <span>{language}</span>
        <CopyButton text={String(code.children ?? '').replace(/\n$/, '')} />
      </Box>
      <pre tabIndex={0}>{children}</pre>
    </Box>
  );
}

/**
 * Raw HTML is not rendered, and external images become links, so that reading a text contacts no other host. Headings begin at `h2`,
 * because the page has its `h1`.
 */
const components: Components = {
  h1: ({ children }) => <h2>{children}</h2>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
  h5: ({ children }) => <h6>{children}</h6>,
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
  pre: CodeBlock,
  table: ({ children }) => (
    <div className="table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

const line = '1px solid var(--tg-palette-border-subtle)';
const style = {
  overflowWrap: 'anywhere',
  '& > :first-child': { mt: 0 },
  '& > :last-child': { mb: 0 },
  '& p, & ul, & ol, & .code, & .table, & blockquote': { my: 1 },
  '& h2, & h3, & h4, & h5, & h6': { fontSize: '1rem', lineHeight: 1.5, fontWeight: 600, mt: 2, mb: 1 },
  '& h2': { fontSize: '1.25rem' },
  '& h3': { fontSize: '1.125rem' },
  '& ul, & ol': { pl: 3 },
  // Messages are inside a list, where browsers would use the bullets of a nested list.
  '& ul': { listStyle: 'disc' },
  '& ul ul': { listStyle: 'circle' },
  '& ol': { listStyle: 'decimal' },
  '& li > ul, & li > ol': { my: 0 },
  '& .contains-task-list': { pl: 0.5, listStyle: 'none' },
  '& .task-list-item input': { mr: 1 },
  '& .sr-only': { position: 'absolute', clipPath: 'inset(50%)' },
  '& code': { typography: 'mono' },
  '& :not(pre) > code': { px: 0.5, py: '1px', border: line, borderRadius: '4px', bgcolor: 'background.paper' },
  '& .code': { border: line, borderRadius: '6px', bgcolor: 'background.paper', overflow: 'hidden' },
  '& .bar': {
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'space-between',
    pl: 1.5,
    borderBottom: line,
    typography: 'caption',
    color: 'text.tertiary',
  },
  '& pre': { m: 0, p: 1.5, overflowX: 'auto' },
  '& blockquote': { mx: 0, pl: 2, borderLeft: '3px solid', borderColor: 'border.control', color: 'text.secondary' },
  '& hr': { border: 0, borderTop: line, my: 2 },
  '& .table': { overflowX: 'auto' },
  '& table': { borderCollapse: 'collapse', bgcolor: 'background.paper' },
  '& td, & th': { border: line, px: 1, py: 0.5, minWidth: 64, overflowWrap: 'break-word' },
  '& th': { textAlign: 'left' },
} as const;

const plugins = [remarkGfm];

/** Markdown as models and operators write it: with tables, task lists, strikethrough, bare URLs and footnotes. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <Box sx={style}>
      <ReactMarkdown
        remarkPlugins={plugins}
        remarkRehypeOptions={{ footnoteLabel: t('markdown.footnotes'), footnoteBackLabel: t('markdown.back') }}
        components={components}
      >
        {text}
      </ReactMarkdown>
    </Box>
  );
});

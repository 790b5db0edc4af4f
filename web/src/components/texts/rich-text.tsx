import Box from '@mui/material/Box';
import { Suspense } from 'react';
import { lazyPart } from '../basics/lazy-part.js';

const OperatorHtml = lazyPart(async () => (await import('./operator-html.js')).OperatorHtml);
const Plain = ({ text }: { text: string }) => (
  <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Box>
);
const Markdown = lazyPart(async () => (await import('./markdown.js')).Markdown, { instead: Plain });

/** Operators write Markdown or HTML into the same fields; a tag at the start of a line means HTML. */
export const looksLikeHtml = (text: string): boolean => /^\s*<(!doctype|[a-z][a-z0-9-]*[\s>])/im.test(text);

export const isAddress = (text: string): boolean => /^https:\/\//i.test(text.trim()) && URL.canParse(text.trim());

export function RichText({ text }: { text: string }) {
  return (
    <Suspense fallback={null}>{looksLikeHtml(text) ? <OperatorHtml html={text} /> : <Markdown text={text} />}</Suspense>
  );
}

/** An external page: it may run its own scripts, but has no access to the console around it. */
export function OperatorFrame({ address, title }: { address: string; title: string }) {
  return (
    <Box
      component="iframe"
      src={address.trim()}
      title={title}
      referrerPolicy="no-referrer"
      sandbox="allow-scripts allow-forms allow-popups allow-same-origin"
      sx={{ width: '100%', height: 'calc(100dvh - 140px)', border: 0, borderRadius: '8px' }}
    />
  );
}

import Box from '@mui/material/Box';
import { Suspense } from 'react';
import { lazyPart } from '../basics/lazy-part.js';
import type { FrameProps } from './operator-frame.js';

const OperatorHtml = lazyPart(async () => (await import('./operator-html.js')).OperatorHtml);
const Frame = lazyPart(async () => (await import('./operator-frame.js')).OperatorFrame);
const Plain = ({ text }: { text: string }) => (
  <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Box>
);
const Markdown = lazyPart(async () => (await import('./markdown.js')).Markdown, { instead: Plain });

/** Operators write Markdown or HTML into the same fields; a tag at the start of a line means HTML. */
const looksLikeHtml = (text: string): boolean => /^\s*<(!doctype|[a-z][a-z0-9-]*[\s>])/im.test(text);

export const isAddress = (text: string): boolean => /^https:\/\//i.test(text.trim()) && URL.canParse(text.trim());

export function RichText({ text }: { text: string }) {
  return (
    <Suspense fallback={null}>{looksLikeHtml(text) ? <OperatorHtml html={text} /> : <Markdown text={text} />}</Suspense>
  );
}

export const OperatorFrame = (frame: FrameProps) => (
  <Suspense fallback={null}>
    <Frame {...frame} />
  </Suspense>
);

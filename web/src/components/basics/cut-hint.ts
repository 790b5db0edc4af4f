import type { SyntheticEvent } from 'react';

const OWN = 'data-own-hint';
const isCut = ({ scrollWidth, clientWidth }: Element): boolean => clientWidth > 0 && scrollWidth > clientWidth + 1;

/** The part below the pointer, or around it within its cell, that has no room for its text. */
function cutPart(from: Element): Element | undefined {
  for (let at: Element | null = from; at; at = at.parentElement) {
    if (isCut(at)) return at;
    if (at.matches('td, th, dd')) return undefined;
  }
  return undefined;
}

/** One handler per table: whatever is cut off tells its whole text as a hint, unless it has a hint that says more. */
export function hintCut({ target, currentTarget }: SyntheticEvent<HTMLElement>): void {
  if (!(target instanceof Element)) return;
  const part = cutPart(target);
  if (!part || part === currentTarget || !currentTarget.contains(part)) return;
  if (part.hasAttribute('title') && !part.hasAttribute(OWN)) return;
  part.setAttribute(OWN, '');
  part.setAttribute('title', part.textContent ?? '');
}

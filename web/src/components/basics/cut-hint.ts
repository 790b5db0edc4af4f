import type { SyntheticEvent } from 'react';

const OWN = 'data-own-hint';
const isCut = ({ scrollWidth, clientWidth }: Element): boolean => clientWidth > 0 && scrollWidth > clientWidth + 1;

/** The element under the pointer, or the closest one around it within its cell, whose text is clipped. */
function cutPart(from: Element): Element | undefined {
  for (let at: Element | null = from; at; at = at.parentElement) {
    if (isCut(at)) return at;
    if (at.matches('td, th, dd')) return undefined;
  }
  return undefined;
}

/** One handler per table: shows the whole of a clipped text as a tooltip, unless the element has a tooltip of its own. */
export function hintCut({ target, currentTarget }: SyntheticEvent<HTMLElement>): void {
  if (!(target instanceof Element)) return;
  const part = cutPart(target);
  if (!part || part === currentTarget || !currentTarget.contains(part)) return;
  if (part.hasAttribute('title') && !part.hasAttribute(OWN)) return;
  part.setAttribute(OWN, '');
  part.setAttribute('title', part.textContent ?? '');
}

import type { ReactNode } from 'react';
import { useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';

const HIDDEN = 'aria-hidden';

/** Renders beside the page, in a place that open dialogs do not hide from screen readers, unlike the rest of the page. */
export function OutsideDialogs({ children }: { children: ReactNode }) {
  const [place] = useState(() => document.createElement('div'));
  useLayoutEffect(() => {
    document.body.append(place);
    const observer = new MutationObserver(() => {
      if (place.hasAttribute(HIDDEN)) place.removeAttribute(HIDDEN);
    });
    observer.observe(place, { attributeFilter: [HIDDEN] });
    return () => {
      observer.disconnect();
      place.remove();
    };
  }, [place]);
  return createPortal(children, place);
}

import type { ReactNode } from 'react';
import { useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';

const HIDDEN = 'aria-hidden';

/** A place beside the page that no open dialog hides from readers, as dialogs do with everything else. */
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

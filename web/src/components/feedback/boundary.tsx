import type { ReactNode } from 'react';
import { Component } from 'react';

/** What lies over a page must not take the page with it: a part that fails is not shown. The fault stands in the log of the browser. */
export class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}

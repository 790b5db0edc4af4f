import type { ReactNode } from 'react';
import { Component } from 'react';

/** Hides a part above the page whose rendering fails, so that the page itself stays. React logs the error to the browser's console. */
export class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}

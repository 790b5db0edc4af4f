import { Suspense, useState } from 'react';
import type { ConfirmOptions } from './confirm-options.js';
import { lazyPart, loadPart } from '../basics/lazy-part.js';

const load = async () => (await import('./confirm-dialog.js')).ConfirmDialog;
const Dialog = lazyPart(load);

/** Preloads the dialog, for pages that must be able to show it even after a deployment. */
export function loadConfirm(): void {
  void loadPart(load).catch(() => undefined);
}

/** The confirmation dialog, loaded when it is first shown and not with the page. */
export function ConfirmDialog(props: { options: ConfirmOptions; onClose: () => void }) {
  return (
    <Suspense fallback={null}>
      <Dialog {...props} />
    </Suspense>
  );
}

/** `confirm(options)` opens the dialog; the page renders `dialog`. */
export function useConfirm() {
  const [options, setOptions] = useState<ConfirmOptions>();
  const dialog = options ? <ConfirmDialog options={options} onClose={() => setOptions(undefined)} /> : null;
  return { confirm: setOptions, dialog };
}

import { Suspense, useState } from 'react';
import type { ConfirmOptions } from './confirm-options.js';
import { lazyPart, loadPart } from '../basics/lazy-part.js';

const load = async () => (await import('./confirm-dialog.js')).ConfirmDialog;
const Dialog = lazyPart(load);

/** Where the question is sure to be asked one day, and must not be missing then. */
export function loadConfirm(): void {
  void loadPart(load).catch(() => undefined);
}

/** The question, loaded when it is asked: no page pays for it before. */
export function ConfirmDialog(props: { options: ConfirmOptions; onClose: () => void }) {
  return (
    <Suspense fallback={null}>
      <Dialog {...props} />
    </Suspense>
  );
}

/** `confirm(options)` asks; `dialog` is drawn by the page. */
export function useConfirm() {
  const [options, setOptions] = useState<ConfirmOptions>();
  const dialog = options ? <ConfirmDialog options={options} onClose={() => setOptions(undefined)} /> : null;
  return { confirm: setOptions, dialog };
}

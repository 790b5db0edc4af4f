import { Suspense, useState } from 'react';
import type { ConfirmOptions } from './confirm-options.js';
import { lazyPart } from '../basics/lazy-part.js';

const Dialog = lazyPart(async () => (await import('./confirm-dialog.js')).ConfirmDialog);

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

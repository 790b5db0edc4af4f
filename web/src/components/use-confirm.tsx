import { Suspense, useState } from 'react';
import { lazyPart } from './lazy-part.js';

const Dialog = lazyPart(async () => (await import('./confirm-dialog.js')).ConfirmDialog);

export interface ConfirmOptions {
  title: string;
  consequences: string[];
  affected?: { total: number; names: string[] };
  /** What must be typed before an irreversible, wide action. */
  typed?: string;
  /** The field's own words, where the general ones do not say enough. */
  typedLabel?: string;
  typedHint?: string;
  confirm: { label: string; danger?: boolean };
  /** Rejects with the error to show inside. */
  run: () => Promise<unknown>;
  /** The question was closed without doing it. */
  onCancel?: () => void;
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

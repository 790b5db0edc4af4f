import { Suspense, lazy, useState } from 'react';

const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.js')).ConfirmDialog }));

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
}

/** `confirm(options)` asks; `dialog` is drawn by the page. */
export function useConfirm() {
  const [options, setOptions] = useState<ConfirmOptions>();
  const dialog = options ? (
    <Suspense fallback={null}>
      <ConfirmDialog options={options} onClose={() => setOptions(undefined)} />
    </Suspense>
  ) : null;
  return { confirm: setOptions, dialog };
}

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

export interface ConfirmOptions {
  title: string;
  consequences: string[];
  affected?: { total: number; names: string[] };
  /** Text that must be typed to confirm an irreversible action with wide effects. */
  typed?: string;
  /** Label of that field, where the general one is not specific enough. */
  typedLabel?: string;
  typedHint?: string;
  /** The server's name of what is typed, whose refusal is shown at the field. */
  typedName?: string;
  confirm: { label: string; danger?: boolean };
  /** Rejects with the error that the dialog shows. */
  run: () => Promise<unknown>;
  /** Called when the dialog is closed without running the action. */
  onCancel?: () => void;
}

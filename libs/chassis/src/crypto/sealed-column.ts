import type { SecretBox } from './secret-box.js';

type Row = Readonly<Record<string, unknown>>;

/**
 * A column in which a service stores ciphertexts, declared so that they can be sealed anew when the installation's secret key is replaced.
 */
export interface SealedColumn {
  /** Name of a table in the service's own schema. */
  table: string;
  /** Primary key of the table; rows are processed in its order. */
  id: string;
  /** Column of the ciphertext; null in rows without one. */
  column: string;
  /** SQL condition that selects the rows with a ciphertext; by default all rows where the column is not null. */
  where?: string;
  /** Further columns that `reseal` reads. */
  reads?: readonly string[];
  /**
   * The columns to write to the row: the ciphertext sealed with the key in use, and values derived from it. Throws `Unopened` when no
   * accepted key opens the old one.
   */
  reseal(row: Row, secrets: SecretBox): Record<string, unknown>;
}

/** A sealed column from which no other column is derived. */
export const sealedFor = (purpose: string, place: Omit<SealedColumn, 'reseal' | 'reads'>): SealedColumn => ({
  ...place,
  reseal: (row, secrets) => ({
    [place.column]: secrets.encrypt(purpose, secrets.decrypt(purpose, String(row[place.column]))),
  }),
});

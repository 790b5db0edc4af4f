import type { SecretBox } from './secret-box.js';

type Row = Readonly<Record<string, unknown>>;

/** Where a service keeps ciphertexts, so that they can be sealed anew when the secret key of the installation is replaced. */
export interface SealedColumn {
  /** Of the service's own schema. */
  table: string;
  /** Primary key of the table, in the order of which it is gone through. */
  id: string;
  /** Where the ciphertext is; null where there is none. */
  column: string;
  /** SQL: which rows hold a ciphertext there; all that are not null unless said. */
  where?: string;
  /** Columns that `reseal` needs besides. */
  reads?: readonly string[];
  /** What to write into the row: the ciphertext by the key in use, and what follows from it. Throws where no key opens it. */
  reseal(row: Row, secrets: SecretBox): Record<string, unknown>;
}

/** A column that nothing else follows from. */
export const sealedFor = (purpose: string, place: Omit<SealedColumn, 'reseal' | 'reads'>): SealedColumn => ({
  ...place,
  reseal: (row, secrets) => ({
    [place.column]: secrets.encrypt(purpose, secrets.decrypt(purpose, String(row[place.column]))),
  }),
});

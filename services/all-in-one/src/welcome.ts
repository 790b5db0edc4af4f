interface Started {
  address: string;
  dataDir: string;
  hasOwnDatabase: boolean;
  /** Whether the product itself answers a demonstration channel. */
  hasDemonstration: boolean;
  notes: readonly string[];
}

/** What a start prints for a person: the address, the data folder and the first steps. */
export function welcome({ address, dataDir, hasOwnDatabase, hasDemonstration, notes }: Started): string {
  const channel = 'the first page of the console has a demonstration channel, which answers by itself.';
  return [
    '',
    `Tollgate is ready at ${address}`,
    `  data folder: ${dataDir}`,
    `  database:    ${hasOwnDatabase ? 'embedded PostgreSQL' : 'PostgreSQL of DATABASE_URL'}`,
    ...notes.map((note) => `  ${note}`),
    '',
    `First time? Open ${address}/setup, choose the administrator's name and password, then add a channel and a token.`,
    // No command of the repository, because a container has none of them.
    `Without a provider key: ${hasDemonstration ? '' : 'with TOLLGATE_DEMONSTRATION=on '}${channel}`,
    'Ctrl-C finishes open requests and stops everything.',
    '',
  ].join('\n');
}

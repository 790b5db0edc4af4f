import { type RunningProcess, runProcess } from '@tollgate/process';
import { allServices } from './index.js';

/** Printed for a person at the terminal: the address, the data folder and the first steps. */
function welcome({ host }: RunningProcess): void {
  const { address } = host;
  const lines = [
    '',
    `Tollgate is ready at ${address}`,
    `  data folder: ${host.dataDir}`,
    `  database:    ${host.env.DATABASE_URL === undefined ? 'embedded PostgreSQL' : 'PostgreSQL of DATABASE_URL'}`,
    ...host.notes.map((note) => `  ${note}`),
    '',
    `First time? Open ${address}/setup, choose the administrator's name and password, then add a channel and a token.`,
    host.outbound.hasDemonstration
      ? 'Without a provider key: the first page of the console has a demonstration channel, which answers by itself.'
      : 'Without a provider key: run "npm run fake-upstream" in a second terminal and use its address as the base URL of a channel.',
    'Ctrl-C finishes open requests and stops everything.',
    '',
  ];
  process.stdout.write(lines.join('\n'));
}

await runProcess(allServices, { front: 'gateway', onListening: welcome });

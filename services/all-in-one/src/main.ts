import { type RunningProcess, runProcess } from '@tollgate/process';
import { allServices } from './index.js';
import { welcome } from './welcome.js';

function greet({ host }: RunningProcess): void {
  const { address, dataDir, notes, outbound, env } = host;
  const hasOwnDatabase = env.DATABASE_URL === undefined;
  process.stdout.write(
    welcome({ address, dataDir, notes, hasOwnDatabase, hasDemonstration: outbound.hasDemonstration }),
  );
}

await runProcess(allServices, { front: 'gateway', onListening: greet });

import { events } from './events.js';
import { journal } from './journal.js';
import { migrate } from './migrate.js';
import { exportTo, importFrom } from './move.js';
import { reconcileBooks } from './reconcile.js';
import { rerate } from './rerate.js';
import { letSuperAdministratorIn, removeSecondFactors } from './rescue.js';
import { secrets } from './secrets.js';
import { show } from './show.js';

/**
 * Commands for operators and jobs. `export`, `import` and `events replay` need a stopped product, `migrate` only with
 * the embedded database; the others can run at any time.
 */
export const commands: Record<string, { usage: string; run(args: readonly string[]): Promise<void> }> = {
  migrate: { usage: 'migrate', run: migrate },
  export: { usage: 'export <file>', run: exportTo },
  import: { usage: 'import <file>', run: importFrom },
  reconcile: { usage: 'reconcile [--from <date>] [--to <date>] [--json]', run: reconcileBooks },
  journal: {
    usage:
      'journal export <folder> [--from <date>] [--to <date>] | journal verify [--json] | journal key | journal replay <folder> <public key>',
    run: journal,
  },
  rerate: {
    usage:
      'rerate [--from <date>] [--to <date>] [--price-version <n> | --prices <file>] [--archive <file>] [--json] [--correct …]',
    run: rerate,
  },
  events: { usage: 'events archive <file> | events replay [--archive <file>] | events leave-kafka', run: events },
  'remove-factors': { usage: 'remove-factors <name or number of a user>', run: removeSecondFactors },
  'let-in': { usage: 'let-in <name or number of a super administrator>', run: letSuperAdministratorIn },
  show: { usage: "show <request id | id of a journal row | 'wallet:5' | 'token:7' | 'order:…' | 'code:3'>", run: show },
  secrets: { usage: 'secrets status | secrets rotate', run: secrets },
};

import { events } from './commands/events.js';
import { journal } from './commands/journal.js';
import { migrate } from './commands/migrate.js';
import { exportTo, importFrom } from './commands/move.js';
import { reconcileBooks } from './commands/reconcile.js';
import { rerate } from './commands/rerate.js';
import { show } from './commands/show.js';

/** What a person or a job does with an installation: the first three while it is stopped, the others at any time. */
const commands: Record<string, { usage: string; run(args: readonly string[]): Promise<void> }> = {
  migrate: { usage: 'migrate', run: migrate },
  export: { usage: 'export <file>', run: exportTo },
  import: { usage: 'import <file>', run: importFrom },
  reconcile: { usage: 'reconcile [--from <date>] [--to <date>] [--json]', run: reconcileBooks },
  journal: {
    usage: 'journal export <folder> [--from <date>] [--to <date>] | journal verify [--json] | journal key',
    run: journal,
  },
  rerate: {
    usage:
      'rerate [--from <date>] [--to <date>] [--price-version <n> | --prices <file>] [--archive <file>] [--json] [--correct …]',
    run: rerate,
  },
  events: { usage: 'events archive <file> | events replay [--archive <file>]', run: events },
  show: { usage: "show <request id | 'wallet:5' | 'token:7' | 'order:…' | 'code:3'>", run: show },
};

const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (!command) {
  const usages = Object.values(commands).map(({ usage }) => `  tollgate ${usage}\n`);
  process.stderr.write(`${name === '' ? 'Which command?' : `There is no command "${name}".`}\n${usages.join('')}`);
  process.exit(64);
}
try {
  await command.run(args);
} catch (error) {
  process.stderr.write(`${name} failed: ${(error as Error).message}\n`);
  process.exit(1);
}

import { migrate } from './commands/migrate.js';
import { exportTo, importFrom } from './commands/move.js';

/** What a person or a job does with an installation that is not running. */
const commands: Record<string, { usage: string; run(args: readonly string[]): Promise<void> }> = {
  migrate: { usage: 'migrate', run: migrate },
  export: { usage: 'export <file>', run: exportTo },
  import: { usage: 'import <file>', run: importFrom },
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

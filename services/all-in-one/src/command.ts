import { nameSourcesInUncaughtErrors } from '@tollgate/chassis';
import { asksForHelp, exitCodeOf } from './commands/arguments.js';
import { commands } from './commands/table.js';

async function run([name = '', ...args]: readonly string[]): Promise<void> {
  nameSourcesInUncaughtErrors();
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const usages = Object.values(commands).map(({ usage }) => `  tollgate ${usage}\n`);
    process.stderr.write(`${name === '' ? 'Which command?' : `There is no command "${name}".`}\n${usages.join('')}`);
    process.exit(64);
  }
  if (asksForHelp(args)) return void process.stdout.write(`tollgate ${command.usage}\n`);
  try {
    await command.run(args);
  } catch (error) {
    process.stderr.write(`${name} failed: ${(error as Error).message}\n`);
    process.exit(exitCodeOf(error));
  }
}

// The bundler may put code that `main` shares into this file, which `main` then imports.
if (import.meta.main) await run(process.argv.slice(2));

import { resolve } from 'node:path';
import { unreadOnKafka } from '@tollgate/adapters';
import { AppError, findSecretKey, otherSecrets, readEnv, SecretBox } from '@tollgate/chassis';
import { exportData, importData, type TransferReport } from '@tollgate/operations';
import { hasUnbooked } from '@tollgate/relay';
import { allServices } from '../index.js';
import { readFlags, refuseRest } from './arguments.js';
import { requireEventsFound, withInstallation, type Installation, say } from './installation.js';

/** Exports the configured installation into a file. */
export async function exportTo(args: readonly string[]): Promise<void> {
  const file = fileNamed(args);
  const [keyCheck = ''] = keyChecksOf('There is no installation to export: neither TOLLGATE_SECRET_KEY nor');
  await withInstallation(async (installation) => {
    await requireAllApplied(installation);
    const report = await exportData({ ...partsOf(installation, file), keyCheck });
    printReport(report, `is in ${file}`);
    say(
      'The file has no secret key: the target needs the same one. Do not start this installation again once the copy is in use.',
    );
  });
}

/** Imports a file into the configured database, which must be empty. */
export async function importFrom(args: readonly string[]): Promise<void> {
  const file = fileNamed(args);
  const keyChecks = keyChecksOf(
    'An import needs the secret key the export was made with: neither TOLLGATE_SECRET_KEY nor',
  );
  await withInstallation(
    async (installation) => {
      const report = await importData({ ...partsOf(installation, file), keyChecks });
      printReport(report, 'arrived, and every table was compared with the file');
    },
    { mayCreate: true },
  );
}

const partsOf = ({ databaseUrl: url, log }: Installation, file: string) => ({
  services: allServices,
  url,
  log,
  file,
  say,
});

/** `npm run` changes to the folder of the repository; a relative path means the folder the user is in. */
function fileNamed(args: readonly string[]): string {
  const [name, ...more] = readFlags(args, {}).rest;
  refuseRest(more);
  if (name === undefined) throw new AppError('invalid', 'arguments-invalid', 'Name a file.');
  return resolve(process.env['INIT_CWD'] ?? '.', name);
}

/**
 * Check values of the accepted secret keys, the one in use first. Equal keys have equal check values, from which a key
 * cannot be derived.
 */
function keyChecksOf(lack: string): string[] {
  const env = readEnv();
  const dataDir = resolve(env.TOLLGATE_DATA_DIR);
  const secret = findSecretKey(env.TOLLGATE_SECRET_KEY, dataDir);
  if (secret === undefined)
    throw new AppError('invalid', 'secret-key-missing', `${lack} a file secret-key in ${dataDir} (TOLLGATE_DATA_DIR).`);
  return new SecretBox(secret, otherSecrets(env)).hmacs('export-key-check', 'tollgate');
}

/** Throws while the spool or Kafka has something that is not in the database yet. */
export async function requireAllApplied(installation: Installation): Promise<void> {
  if (hasUnbooked(installation.dataDir)) throw unbooked(installation);
  await requireRead(installation);
}

/** Events that are only in Kafka cannot be exported, so all consumers must have read everything. */
async function requireRead(installation: Installation): Promise<void> {
  await requireEventsFound(installation);
  const { env, log } = installation;
  const { KAFKA_BROKERS } = env;
  if (KAFKA_BROKERS === undefined) return;
  const groups = allServices.map(({ name }) => name);
  const unread = await unreadOnKafka({ ...env, KAFKA_BROKERS }, groups, log);
  if (unread.length === 0) return;
  const lines = unread.map(({ group, topic, events }) => `  ${group}: ${events} of ${topic}`);
  throw new AppError(
    'unavailable',
    'events-unread',
    `Events in Kafka are not read yet:\n${lines.join('\n')}\nStart the services, wait until tollgate_consumer_lag_events is 0, and stop them, the gateways first.`,
  );
}

const unbooked = ({ dataDir }: Installation): AppError =>
  new AppError(
    'unavailable',
    'spool-not-empty',
    `The spool in ${dataDir} holds requests that are not booked. Start the product once and stop it, so that they are.`,
  );

function printReport({ tables, rows, proofs }: TransferReport, what: string): void {
  for (const [name, value] of Object.entries(proofs)) say(`  ${name}: ${value}`);
  say(`Everything ${what}: ${tables} tables, ${rows} rows.`);
}

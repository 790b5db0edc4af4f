import { lateOnKafka, readKafkaTopic } from '@tollgate/adapters';
import { ratingFault } from '@tollgate/billing';
import { reconcile, type ReconcileOptions, reportLines } from '@tollgate/operations';
import { hasUnbooked } from '@tollgate/relay';
import { allServices } from '../index.js';
import { PERIOD, periodOf, readFlags, refuseRest } from './arguments.js';
import { besideInstallation, type Installation, say } from './installation.js';
import { withLog } from './outside-log.js';

const TELL_EVERY_MS = 10_000;

/** Says whether the books of the period balance, and what does not; the exit code is then 1. */
export async function reconcileBooks(args: readonly string[]): Promise<void> {
  const { flags, rest } = readFlags(args, { ...PERIOD, json: { type: 'boolean' } });
  refuseRest(rest);
  const period = periodOf(flags);
  await besideInstallation(async (installation) => {
    const { databaseUrl: url, log, dataDir } = installation;
    const report = await withLog(installation, (where) =>
      tellingSteps((tell) =>
        reconcile({
          ...{ services: allServices, url, log, period, rate: ratingFault, tell },
          ...{ ...topicsOf(installation), ...where },
        }),
      ),
    );
    // While a relay runs, its spool keeps for a while what is booked.
    if (!report.balanced && hasUnbooked(dataDir))
      report.notices.push(`The spool in ${dataDir} holds requests that may not be booked yet.`);
    if (flags['json'] === true) say(JSON.stringify(report, undefined, 2));
    else for (const line of reportLines(report)) say(line);
    if (!report.balanced) process.exitCode = 1;
  });
}

/** Says now and then to whoever waits what is being done, apart from what is found. */
async function tellingSteps<T>(work: (tell: (step: string) => void) => Promise<T>): Promise<T> {
  const started = performance.now();
  let now = 'beginning';
  const timer = setInterval(() => {
    process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0)} s: ${now}\n`);
  }, TELL_EVERY_MS);
  try {
    return await work((step) => (now = step));
  } finally {
    clearInterval(timer);
  }
}

/** How reconcile reads topics on Kafka; empty where they are in the database. */
export function topicsOf({ env, log }: Installation): Pick<ReconcileOptions, 'read' | 'lateReaders'> {
  const { KAFKA_BROKERS } = env;
  if (KAFKA_BROKERS === undefined) return {};
  const kafka = { ...env, KAFKA_BROKERS };
  const groups = allServices.map(({ name }) => name);
  return {
    read: (topic, handle) => readKafkaTopic(kafka, topic, log, handle),
    lateReaders: (topic) => lateOnKafka(kafka, { topic, groups, log }),
  };
}

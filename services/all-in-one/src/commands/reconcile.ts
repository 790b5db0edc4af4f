import { lateOnKafka, readKafkaTopic } from '@tollgate/adapters';
import { ratingFault } from '@tollgate/billing';
import { reconcile, type ReconcileOptions, reportLines } from '@tollgate/operations';
import { hasUnbooked } from '@tollgate/relay';
import { allServices } from '../index.js';
import { PERIOD, periodOf, readFlags, refuseRest } from './arguments.js';
import { besideInstallation, type Installation, requireEventsFound, say } from './installation.js';
import { withLog } from './outside-log.js';

const REPORT_EVERY_MS = 10_000;

/** Reports whether the books of the period balance, and every fault; with faults the exit code is 1. */
export async function reconcileBooks(args: readonly string[]): Promise<void> {
  const { flags, rest } = readFlags(args, { ...PERIOD, json: { type: 'boolean' } });
  refuseRest(rest);
  const period = periodOf(flags);
  await besideInstallation(async (installation) => {
    await requireEventsFound(installation);
    const { databaseUrl: url, log, dataDir } = installation;
    const report = await withLog(installation, (where) =>
      reportingSteps((reportStep) =>
        reconcile({
          ...{ services: allServices, url, log, period, rate: ratingFault, reportStep },
          ...{ ...topicsOf(installation), ...where },
        }),
      ),
    );
    // While a relay is running, its spool contains booked requests for a while, too.
    if (!report.balanced && hasUnbooked(dataDir))
      report.notices.push(`The spool in ${dataDir} holds requests that may not be booked yet.`);
    if (flags['json'] === true) say(JSON.stringify(report, undefined, 2));
    else for (const line of reportLines(report)) say(line);
    if (!report.balanced) process.exitCode = 1;
  });
}

/** Prints the current step to stderr from time to time, separate from the report on stdout. */
async function reportingSteps<T>(work: (reportStep: (step: string) => void) => Promise<T>): Promise<T> {
  const started = performance.now();
  let now = 'beginning';
  const timer = setInterval(() => {
    process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0)} s: ${now}\n`);
  }, REPORT_EVERY_MS);
  try {
    return await work((step) => (now = step));
  } finally {
    clearInterval(timer);
  }
}

/** How reconcile reads topics in Kafka; empty if they are in the database. */
function topicsOf({ env, log }: Installation): Pick<ReconcileOptions, 'read' | 'lateReaders'> {
  const { KAFKA_BROKERS } = env;
  if (KAFKA_BROKERS === undefined) return {};
  const kafka = { ...env, KAFKA_BROKERS };
  const groups = allServices.map(({ name }) => name);
  return {
    read: (topic, handle) => readKafkaTopic(kafka, topic, log, handle),
    lateReaders: (topic) => lateOnKafka(kafka, { topic, groups, log }),
  };
}

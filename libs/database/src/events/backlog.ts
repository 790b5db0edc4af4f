import type { EntityManager } from '@mikro-orm/postgresql';
import { type EventLog, inFreshContext, type Metrics } from '@tollgate/chassis';

/** Two readers at once, or one that asks all the time, cost one question. */
const KEEP_MS = 1000;
/** A dependency that hangs must not take the whole page with it. */
const PATIENCE_MS = 2000;

/** Events that wait to leave and those that could not be applied, of one service with tables. */
export function measureTables(metrics: Metrics, em: EntityManager): void {
  const outbox = remembered(async () => {
    const [row] = await em.fork().execute<{ waiting: string; age: string | null }[]>(
      `select count(*) as waiting, extract(epoch from now() - (
         select created_at from outbox_event where published_at is null and refused_at is null order by id limit 1)) as age
       from outbox_event where published_at is null and refused_at is null`,
    );
    return { waiting: Number(row?.waiting ?? 0), age: Math.max(0, Number(row?.age ?? 0)) };
  });
  metrics.measured('tollgate_outbox_events', 'Committed events that have not left the outbox.', [], async () => [
    { labels: {}, value: (await outbox()).waiting },
  ]);
  metrics.measured('tollgate_outbox_oldest_age_seconds', 'Age of the oldest event in the outbox.', [], async () => [
    { labels: {}, value: (await outbox()).age },
  ]);
  const perTopic = (rows: string) =>
    remembered(async () => {
      const counted = await em
        .fork()
        .execute<{ topic: string; events: string }[]>(`select topic, count(*) as events from ${rows} group by topic`);
      return counted.map(({ topic, events }) => ({ labels: { topic }, value: Number(events) }));
    });
  metrics.measured(
    'tollgate_outbox_refused_events',
    'Events the event log refuses for good, by topic; they stay in the outbox.',
    ['topic'],
    perTopic('outbox_event where refused_at is not null'),
  );
  metrics.measured(
    'tollgate_quarantined_events',
    'Events no handler could apply, by topic.',
    ['topic'],
    perTopic('quarantined_event'),
  );
}

/** How far a consumer group is behind the log. Every replica says the same of its group. */
export function measureLag(
  metrics: Metrics,
  eventLog: EventLog,
  group: string,
  topicsOf: () => readonly string[],
): void {
  const lag = remembered(async () => {
    const topics = topicsOf();
    if (topics.length === 0) return [];
    const [ends, committed] = await Promise.all([eventLog.ends(topics), eventLog.committed(group, topics)]);
    return topics.map((topic) => {
      const behind = Object.entries(ends[topic] ?? {}).map(([partition, end]) =>
        Math.max(0, Number(end - (committed[topic]?.[Number(partition)] ?? 0n))),
      );
      return { labels: { group, topic }, value: behind.reduce((sum, one) => sum + one, 0) };
    });
  });
  metrics.measured(
    'tollgate_consumer_lag_events',
    'Events of a topic the group has not committed.',
    ['group', 'topic'],
    lag,
  );
}

/** Asks at most once in a while, outside the request that asks, and not for ever. */
function remembered<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (!answer || performance.now() > until) {
      answer = inPatience(inFreshContext(ask));
      until = performance.now() + KEEP_MS;
    }
    return answer;
  };
}

function inPatience<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('took too long to measure')), PATIENCE_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, type EventLog, inFreshContext, type Metrics } from '@tollgate/chassis';
import { inPatience } from '../orm/in-patience.js';

/** Milliseconds for which a measurement is cached, so that many scrapes cost the database one query. */
const KEEP_MS = 1000;
/** Time limit of one measurement, so that an unresponsive dependency does not block the whole metrics page. */
const PATIENCE_MS = 2000;

/** Metrics of a service with tables: events waiting in the outbox, and quarantined ones. */
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

interface Reader {
  eventLog: EventLog;
  group: string;
  topicsOf: () => readonly string[];
  clock?: Pick<Clock, 'monotonic'>;
}

/**
 * Metrics of how far a consumer group is behind the log, and for how long it has not progressed. All replicas report the same values for
 * their group.
 */
export function measureLag(metrics: Metrics, { eventLog, group, topicsOf, clock = new Clock() }: Reader): void {
  const progress = new Progress();
  const backlog = remembered(async () => {
    const topics = topicsOf();
    if (topics.length === 0) return [];
    const [ends, committed] = await Promise.all([eventLog.ends(topics), eventLog.committed(group, topics)]);
    const now = clock.monotonic();
    return topics.map((topic) => {
      const partitions = Object.entries(ends[topic] ?? {}).map(([partition, end]) => {
        const next = committed[topic]?.[Number(partition)] ?? 0n;
        const behind = Math.max(0, Number(end - next));
        return { behind, stalledMs: progress.stalledMs(`${topic}/${partition}`, { next, behind, now }) };
      });
      return {
        labels: { group, topic },
        behind: partitions.reduce((sum, one) => sum + one.behind, 0),
        stalled: Math.max(0, ...partitions.map(({ stalledMs }) => stalledMs)) / 1000,
      };
    });
  });
  metrics.measured(
    'tollgate_consumer_lag_events',
    'Events of a topic the group has not committed.',
    ['group', 'topic'],
    async () => (await backlog()).map(({ labels, behind: value }) => ({ labels, value })),
  );
  metrics.measured(
    'tollgate_consumer_stalled_seconds',
    'For how long a partition with uncommitted events has been seen at the same place.',
    ['group', 'topic'],
    async () => (await backlog()).map(({ labels, stalled: value }) => ({ labels, value })),
  );
}

/** Records since when each partition has been at its position while records are left to read. */
class Progress {
  private readonly places = new Map<string, { next: bigint; since: number }>();

  stalledMs(partition: string, { next, behind, now }: { next: bigint; behind: number; now: number }): number {
    const place = this.places.get(partition);
    if (behind > 0 && place?.next === next) return now - place.since;
    if (behind > 0) this.places.set(partition, { next, since: now });
    else this.places.delete(partition);
    return 0;
  }
}

/** Caches a measurement for `KEEP_MS`, runs it outside the context of the request that triggers it, and limits its time. */
function remembered<T>(query: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (!answer || performance.now() > until) {
      answer = inPatience(inFreshContext(query), PATIENCE_MS, 'took too long to measure');
      until = performance.now() + KEEP_MS;
    }
    return answer;
  };
}

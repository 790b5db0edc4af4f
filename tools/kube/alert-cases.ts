import type { RatingFault } from '@tollgate/billing';
import type { Decision } from '@tollgate/channel';
import type { DeliveryOutcome, DeliveryWay } from '@tollgate/identity';

interface Series {
  series: string;
  /** In the notation of promtool, one value per minute. */
  values: string;
}

interface AlertCase {
  alert: string;
  /** Series with which the alert has to fire. */
  ill: readonly Series[];
  /** Series with which the alert must not fire for more than an hour. */
  well: readonly Series[];
  /** When it has to fire, counted from the start of the series; by default after 20 minutes. */
  at?: string;
}

const series = (name: string, values: string): Series => ({ series: name, values });
const STEADY = '0+600x90';
const requests = (service: string, good: string, bad: string): Series[] => [
  series(`tollgate_http_requests_total{service="${service}",status="200"}`, good),
  series(`tollgate_http_requests_total{service="${service}",status="503"}`, bad),
];
/**
 * Cumulative buckets of a histogram: all observations lie between the last bound whose count is zero and the next
 * bound.
 */
const buckets = (name: string, counts: Readonly<Record<string, string>>): Series[] =>
  Object.entries(counts).map(([le, values]) => series(`${name}_bucket{le="${le}"}`, values));
const decisions = (decision: Decision): string =>
  `tollgate_channel_health_decisions_total{service="channel",decision="${decision}"}`;
const up = (service: string, pod: string): string => `tollgate_service_up{service="${service}",pod="${pod}"}`;
const busy = (instance: string, values: string): Series =>
  series(`tollgate_event_loop_utilization_ratio{instance="${instance}"}`, values);
const serving = (service: string): Series =>
  series(`tollgate_service_up{instance="${service}",service="${service}"}`, '1x90');
const ratingFaults = (fault: RatingFault): string =>
  `tollgate_billing_rating_faults_total{service="billing",fault="${fault}"}`;
const LIMIT = 'tollgate_relay_spool_limit_bytes{pod="a"}';
const deliveries = (via: DeliveryWay, outcome: DeliveryOutcome, values: string): Series =>
  series(`tollgate_identity_deliveries_total{via="${via}",outcome="${outcome}"}`, values);
const DOUBTED = 'tollgate_relay_usage_doubted_total{channel="7",reason="implausible"}';
const LAG = 'tollgate_consumer_lag_events{group="billing",topic="request-consumed"}';
const STALLED = LAG.replace('lag_events', 'stalled_seconds');
const HELD = 'tollgate_billing_held_faults{service="billing"}';
const BALANCED = 'tollgate_billing_books_balanced_timestamp_seconds{service="billing"}';
const LOOKED = BALANCED.replace('balanced', 'looked');
const LEFT = 'tollgate_billing_books_left_rows{service="billing"}';
const SEALED = 'tollgate_billing_journal_sealed_timestamp_seconds{service="billing"}';
const of = (name: string, pod: string): string => name.replace('}', `,pod="${pod}"}`);
/** A timestamp that always equals the current time, since promtool begins at the epoch. */
const NOW = '0+60x90';

/** For every alert, series that make it fire and similar series that must not. */
export const alertCases: readonly AlertCase[] = [
  { alert: 'TollgateHeldQuotaWrong', ill: [series(HELD, '0x5 2x30')], well: [series(HELD, '0x90')] },
  {
    alert: 'TollgateBooksFaults',
    ill: [series('tollgate_billing_books_faults{service="billing"}', '0x5 1x30')],
    well: [series('tollgate_billing_books_faults{service="billing"}', '0x90')],
  },
  {
    alert: 'TollgateBooksStale',
    ill: [series(LOOKED, '0+60x5 300x60')],
    // The check is five minutes late, a former process has handed over to another, and one that is idle has never
    // checked.
    well: [
      series(LOOKED, '0x5 0+60x84'),
      series(of(LOOKED, 'former'), '0+60x20 stale'),
      series(of(LOOKED, 'idle'), '0x90'),
      // The books were never balanced against the usage log, because that is switched off.
      series(BALANCED, '0x90'),
    ],
    at: '30m',
  },
  // The sums of statements stop catching up with an old journal; in the good case they go on.
  {
    alert: 'TollgateBooksStale',
    ill: [series(LOOKED, '0x90'), series(LEFT, '900-10x5 850x90')],
    well: [series(LOOKED, '0x90'), series(LEFT, '900-10x90')],
    at: '40m',
  },
  // More is booked than the sums can take in.
  {
    alert: 'TollgateBooksStale',
    ill: [series(LOOKED, '0x90'), series(LEFT, '900+10x90')],
    well: [series(LOOKED, NOW), series(LEFT, '0x90')],
    at: '40m',
  },
  {
    alert: 'TollgateSealsStale',
    ill: [series(SEALED, '0+60x5 300x60')],
    well: [series(SEALED, NOW), series(of(SEALED, 'idle'), '0x90')],
    at: '25m',
  },
  {
    alert: 'TollgateChargesNotReproduced',
    ill: [series(ratingFaults('quota'), '0x10 3x30')],
    well: [series(ratingFaults('quota'), '3x90'), series(ratingFaults('unknown-version'), '0x90')],
  },
  // A process counted its first fault before Prometheus scraped its counters for the first time.
  {
    alert: 'TollgateChargesNotReproduced',
    ill: [series(ratingFaults('unknown-version'), '_x10 3x30')],
    // Prometheus was down for longer than the rule looks back.
    well: [series(ratingFaults('unknown-version'), '3x40 _x20 3x30')],
  },
  {
    alert: 'TollgateRefundsFail',
    ill: [series('tollgate_billing_refunds_failing{service="billing"}', '0x5 1x30')],
    // One attempt failed and the next one succeeded.
    well: [
      series('tollgate_billing_refunds_failing{service="billing"}', '0x60 1x2 0x30'),
      series('tollgate_billing_refunds_given_up{service="billing"}', '0x90'),
    ],
  },
  {
    alert: 'TollgateRefundsFail',
    ill: [
      series('tollgate_billing_refunds_failing{service="billing"}', '0x40'),
      series('tollgate_billing_refunds_given_up{service="billing"}', '0x5 2x30'),
    ],
    well: [series('tollgate_billing_refunds_failing{service="billing"}', '3x20 0x70')],
  },
  {
    alert: 'TollgateEventsPutAside',
    ill: [series('tollgate_quarantined_events{service="billing",topic="request-consumed"}', '0x5 1x30')],
    well: [
      series('tollgate_quarantined_events{service="billing",topic="request-consumed"}', '0x90'),
      series('tollgate_outbox_refused_events{service="identity",topic="user-changed"}', '0x90'),
      series('tollgate_relay_dead_letters{service="relay"}', '0x90'),
    ],
  },
  {
    alert: 'TollgateBookingLate',
    ill: [series('tollgate_relay_spool_oldest_seconds{pod="a"}', '0x5 70+60x30')],
    well: [series('tollgate_relay_spool_oldest_seconds{pod="a"}', '2x20 90 2x70')],
  },
  {
    alert: 'TollgateSpoolFilling',
    ill: [series('tollgate_relay_spool_bytes{pod="a"}', '0x5 600x30'), series(LIMIT, '1000x90')],
    well: [series('tollgate_relay_spool_bytes{pod="a"}', '400x90'), series(LIMIT, '1000x90')],
  },
  {
    alert: 'TollgateLeasesExpired',
    ill: [series('tollgate_billing_replicas_released_total', '0x10 1x30')],
    well: [series('tollgate_billing_replicas_released_total', '4x90')],
  },
  {
    alert: 'TollgateModelCallsFail',
    ill: requests('relay', STEADY, '0+60x90'),
    well: [...requests('relay', STEADY, '0+6x90'), ...requests('gateway', '0+60x90', '0+600x90')],
  },
  {
    alert: 'TollgateBudgetBurnsFast',
    ill: requests('relay', STEADY, '0+30x90'),
    well: requests('relay', STEADY, '0+1x90'),
    at: '65m',
  },
  {
    alert: 'TollgateConsoleFails',
    ill: requests('gateway', STEADY, '0+60x90'),
    well: requests('gateway', STEADY, '0x90'),
  },
  {
    alert: 'TollgateProxyFailures',
    ill: [series('tollgate_gateway_proxy_failures_total{owner="billing",kind="failed"}', '0+30x90')],
    well: [series('tollgate_gateway_proxy_failures_total{owner="billing",kind="failed"}', '0+1x90')],
  },
  {
    alert: 'TollgateRelayBusy',
    ill: [busy('relay', '0.95x90'), serving('relay'), busy('billing', '0.1x90'), serving('billing')],
    well: [busy('relay', '0.5x90'), serving('relay'), busy('billing', '0.95x90'), serving('billing')],
  },
  {
    alert: 'TollgateFirstTokenSlow',
    ill: buckets('tollgate_relay_first_token_seconds', { 10: '0x90', 30: STEADY, '+Inf': STEADY }),
    well: buckets('tollgate_relay_first_token_seconds', { 1: STEADY, 10: STEADY, 30: STEADY, '+Inf': STEADY }),
    at: '30m',
  },
  {
    alert: 'TollgateBodiesRefused',
    ill: [series('tollgate_relay_refused_bodies_total{reason="memory"}', '0+30x90')],
    well: [series('tollgate_relay_refused_bodies_total{reason="memory"}', '0+1x90')],
  },
  {
    alert: 'TollgateChannelsHeldOn',
    ill: [series(decisions('held'), '0x10 1x30')],
    well: [series(decisions('held'), '7x90'), series(decisions('cleared'), '0+1x90')],
  },
  {
    alert: 'TollgateChannelsHeldOn',
    ill: [series(decisions('held'), '_x10 1x30')],
    well: [series(decisions('held'), '7x40 _x20 7x30'), series(decisions('unproven'), '_x60 3x30')],
  },
  {
    alert: 'TollgateChannelsDisabled',
    ill: [series(decisions('disabled'), '0x10 4x30')],
    well: [series(decisions('disabled'), '0x10 1x80')],
  },
  // Channels are disabled by two replicas, one of them new.
  {
    alert: 'TollgateChannelsDisabled',
    ill: [series(of(decisions('disabled'), 'new'), '_x10 2x30'), series(of(decisions('disabled'), 'old'), '5x10 7x30')],
    well: [series(decisions('disabled'), '_x60 2x30'), series(of(decisions('disabled'), 'old'), '50x90')],
  },
  {
    alert: 'TollgateUsageDoubted',
    ill: [series(DOUBTED, '0+2x90')],
    well: [series(DOUBTED, '0x10 2x80')],
  },
  {
    alert: 'TollgateUsageDoubted',
    ill: [series(DOUBTED, '_x10 7x30')],
    well: [series(DOUBTED, '_x60 4x30'), series(DOUBTED.replace('7', '8'), '70x90')],
  },
  {
    alert: 'TollgateConsumersFallBehind',
    ill: [series(LAG, '0+2000x90')],
    // A long backlog that is shrinking.
    well: [series(LAG, '90000-1000x90')],
    at: '40m',
  },
  // Few events wait, but none is applied; in the good case others are applied meanwhile.
  {
    alert: 'TollgateConsumersStandStill',
    ill: [series(STALLED, '0x5 60+60x30'), series(LAG, '7x90')],
    well: [series(STALLED, '0x5 60+60x4 0+60x5 0x80'), series(LAG, '7x90')],
  },
  // A new replica reports only the time since it started.
  {
    alert: 'TollgateConsumersStandStill',
    ill: [series(of(STALLED, 'old'), '0+60x90'), series(of(STALLED, 'new'), '_x10 0+60x80')],
    well: [series(of(STALLED, 'old'), '0x90'), series(of(STALLED, 'new'), '_x10 0x80')],
  },
  {
    alert: 'TollgateOutboxStuck',
    ill: [series('tollgate_outbox_oldest_age_seconds{service="identity"}', '0+60x90')],
    well: [series('tollgate_outbox_oldest_age_seconds{service="identity"}', '1x90')],
  },
  {
    alert: 'TollgateLogRowsWait',
    ill: [series('tollgate_log_rows_oldest_age_seconds', '0+60x90')],
    well: [series('tollgate_log_rows_oldest_age_seconds', '2x90')],
  },
  {
    alert: 'TollgateTasksStuck',
    ill: [series('tollgate_channel_tasks_overdue_seconds{service="channel"}', '0+60x90')],
    well: [series('tollgate_channel_tasks_overdue_seconds{service="channel"}', '2x90')],
  },
  // Mails with codes expire before they are retried often; in the good case deliveries are retried.
  {
    alert: 'TollgateMailFails',
    ill: [
      deliveries('mail', 'failed', '0x5 2x30'),
      deliveries('mail', 'later', '0x5 3x30'),
      deliveries('mail', 'sent', '9x90'),
    ],
    // A user's webhook does not answer, and one mail address of many accepts nothing.
    well: [
      ...[deliveries('webhook', 'later', '0+5x90'), deliveries('webhook', 'sent', '0x90')],
      ...[deliveries('mail', 'later', '0+1x90'), deliveries('mail', 'sent', '0+1x90')],
    ],
  },
  {
    alert: 'TollgateDeliveriesStuck',
    ill: [series('tollgate_identity_deliveries_overdue_seconds{service="identity"}', '0+60x90')],
    well: [series('tollgate_identity_deliveries_overdue_seconds{service="identity"}', '1x90')],
  },
  {
    alert: 'TollgateServiceAbsent',
    // The service had no requests before it vanished.
    ill: [series(up('billing', 'a'), '1x20 stale'), series(up('relay', 'a'), '1x90')],
    // One pod replaces another.
    well: [series(up('billing', 'a'), '1x20 stale'), series(up('billing', 'b'), '_x18 1x90')],
    at: '30m',
  },
  // An hour after the service vanished it is still away.
  {
    alert: 'TollgateServiceAbsent',
    ill: [
      ...[series(up('billing', 'a'), '1x20 stale'), series(up('relay', 'a'), '1x90')],
      ...requests('billing', '0+10x20 stale', '0x20 stale'),
    ],
    well: [series(up('billing', 'a'), '1x90'), ...requests('billing', '0+10x20 stale', '0x20 stale')],
    at: '80m',
  },
  {
    alert: 'TollgateMoneyMetricsAbsent',
    ill: [series(HELD, '0x60'), series(BALANCED, NOW), series(SEALED, NOW)],
    well: [
      // Before an old journal is chained and its sums have caught up, the books are neither balanced nor sealed.
      ...[series(HELD, '0x90'), series(LEFT, '900-10x90')],
      series('tollgate_consumer_lag_events{group="production.billing",topic="t"}', '0x90'),
    ],
  },
  {
    alert: 'TollgateMoneyMetricsAbsent',
    ill: [
      ...[series(HELD, '0x90'), series(BALANCED, NOW), series(LEFT, '900+10x90')],
      series('tollgate_consumer_lag_events{group="production.billing",topic="t"}', '0x90'),
    ],
    well: [
      ...[series(HELD, '0x90'), series(BALANCED, NOW), series(SEALED, NOW)],
      series('tollgate_consumer_lag_events{group="production.billing",topic="t"}', '0x90'),
    ],
  },
  {
    alert: 'TollgateVersionsDiffer',
    ill: [series('tollgate_build_info{version="1"}', '1x90'), series('tollgate_build_info{version="2"}', '1x90')],
    well: [
      series('tollgate_build_info{version="1"}', '1x90'),
      series('tollgate_build_info{version="2"}', '1x20 stale'),
    ],
    at: '65m',
  },
];

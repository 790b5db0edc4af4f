import { EPAY_ID, EPAY_KEY, type EpayTestGateway, readUntil, startEpayGateway } from '@tollgate/testing';
import { Client } from 'pg';
import { untilEnded, untilReplaced } from '../cluster/cluster.js';
import { early, type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';

const BILLINGS = ['billing-1', 'billing-2'] as const;
/** Id of an advisory lock that the test holds and each commit of a credit needs. */
const GATE = 7_070_708;
const REACHED_MS = 20_000;
/** Units per dollar. */
const QUOTA = 500_000;
let payers = 0;

/** An order of a user with an empty wallet, waiting for payment. */
interface Payment {
  gateway: EpayTestGateway;
  database: Client;
  tradeNo: string;
  userId: number;
}

async function begin({ cluster, site }: FaultStage): Promise<Payment> {
  const gateway = await startEpayGateway();
  const options = { ServerAddress: cluster.url, PayAddress: gateway.url, EpayId: EPAY_ID, EpayKey: EPAY_KEY };
  for (const [key, value] of Object.entries(options)) await site.root.data('PUT', '/api/option/', { key, value });
  const payer = await site.user(`payer${(payers += 1)}`, 0);
  const { body } = await payer.call('POST', '/api/user/pay', { amount: 1, payment_method: 'zfb' });
  const form = body.data as Record<string, string>;
  await fetch(`${gateway.url}/submit.php`, { method: 'POST', body: new URLSearchParams(form) });
  const database = new Client({ connectionString: cluster.databaseUrl });
  database.on('error', () => undefined);
  await database.connect();
  return { gateway, database, tradeNo: form['out_trade_no'] ?? '', userId: payer.id };
}

async function end({ gateway, database }: Payment): Promise<void> {
  await database.end();
  await gateway.close();
}

const numberOf = async (database: Client, query: string, values: unknown[]): Promise<number> =>
  (await database.query<{ n: number }>(query, values)).rows[0]?.n ?? 0;

const credits = ({ database, tradeNo }: Payment): Promise<number> =>
  numberOf(
    database,
    `select count(*)::int as "n" from "billing"."posting" where "code" = 'top-up' and "reference" = $1`,
    [tradeNo],
  );

/** What is wrong in the books of a payment that was notified several times. */
async function faultsOf(payment: Payment): Promise<string[]> {
  const { database, userId, tradeNo } = payment;
  const credit = await numberOf(database, `select "credit"::int as "n" from "billing"."account" where "user_id" = $1`, [
    userId,
  ]);
  const paid = await numberOf(
    database,
    `select count(*)::int as "n" from "billing"."top_up_order" where "trade_no" = $1 and "status" = 'paid'`,
    [tradeNo],
  );
  return [
    ...unless(credit === QUOTA, `a payment of ${QUOTA} units led to ${credit}`),
    ...unless((await credits(payment)) === 1, 'a payment was not posted once'),
    ...unless(paid === 1, 'an order that was paid does not say so'),
  ];
}

async function tellFiveTimes(stage: FaultStage): Promise<string[]> {
  const payment = await begin(stage);
  try {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => payment.gateway.notify(payment.tradeNo)));
    return [
      ...unless(
        answers.every((answer) => answer === 'success'),
        `a gateway was told ${answers.join(', ')}`,
      ),
      ...(await faultsOf(payment)),
    ];
  } finally {
    await end(payment);
  }
}

/** Makes the next credit wait in the middle of its commit until the lock is released. */
const closeGate = (database: Client): Promise<unknown> =>
  database.query(`
    select pg_advisory_lock(${GATE});
    create function "billing"."wait_to_credit"() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${GATE}); return null; end $$;
    create constraint trigger "credit_gate" after update on "billing"."account" deferrable initially deferred for each row
      when (new."credit" is distinct from old."credit") execute function "billing"."wait_to_credit"();`);

async function removeGate(database: Client): Promise<void> {
  await database.query('select pg_advisory_unlock_all()');
  await database.query('drop trigger "credit_gate" on "billing"."account"; drop function "billing"."wait_to_credit"()');
}

const waiting = (database: Client): Promise<number> =>
  numberOf(
    database,
    `select count(*)::int as "n" from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
    [GATE],
  );

/** Suspends the processes while the credit commits, so that neither can reply; then kills them. */
async function killBeforeAnswer(stage: FaultStage): Promise<string[]> {
  const payment = await begin(stage);
  const { gateway, database, tradeNo } = payment;
  const pids = BILLINGS.map((name) => stage.pidOf(name));
  try {
    await closeGate(database);
    const told = gateway.notify(tradeNo).catch(() => 'lost');
    const isThere =
      (await readUntil(
        () => waiting(database),
        (count) => count > 0,
        REACHED_MS,
      )) > 0;
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await database.query('select pg_advisory_unlock_all()');
    await readUntil(
      () => credits(payment),
      (count) => count > 0,
      REACHED_MS,
    );
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await untilEnded(...pids);
    const answer = await told;
    await removeGate(database);
    for (const [index, name] of BILLINGS.entries()) await untilReplaced(stage.cluster, name, pids[index] ?? 0);
    const again = await readUntil(
      () => gateway.notify(tradeNo).catch(() => ''),
      (text) => text === 'success',
      REACHED_MS,
    );
    return [
      ...unless(isThere, 'nobody credited the payment'),
      ...unless(answer !== 'success', 'a process answered that was frozen'),
      ...unless(again === 'success', `a gateway that told again heard "${again}"`),
      ...(await faultsOf(payment)),
    ];
  } finally {
    await end(payment);
  }
}

export const paymentRows: readonly FaultRow[] = [
  { name: 'a payment told five times at once', mayFail: false, when: early, inject: tellFiveTimes },
  {
    name: 'both billings killed between a credit and its answer',
    seconds: 16,
    mayFail: true,
    when: early,
    inject: killBeforeAnswer,
  },
];

import type { JournalEntry } from '@tollgate/testing';
import type { Client } from 'pg';
import { ESTIMATE, mostForPrompt, sawDeath } from '../support/verdict.js';
import { type Kind, KINDS, type Seen, WORDS } from '../support/witness.js';

const BATCH = 5_000;
const MARK = /\bm(\d+)x(\d+)\b/;
const kinds = Object.keys(KINDS) as Kind[];

/**
 * Records in a few bytes per request what clients and the upstream saw, and finally writes it into a table next to the
 * books, so that a million requests are compared inside the database. A request's number is the one in its mark.
 */
export class MillionWitness {
  private readonly ids: string[] = [];
  private readonly kind: Uint8Array;
  /** Bits: the client got a byte; got all of the reply; left on purpose; was refused; a relay was killed meanwhile. */
  private readonly state: Uint8Array;
  private readonly words: Uint32Array;
  private readonly served: Uint8Array;
  /** Errors of clients without a complete reply that did not leave on purpose, counted by text without ids. */
  readonly failures = new Map<string, number>();
  /** Times at which relays were killed, by the clock of `seen`. */
  relayDeaths: readonly number[] = [];
  readonly counts = { asked: 0, whole: 0, left: 0, refused: 0, broken: 0 };

  constructor(count: number) {
    this.kind = new Uint8Array(count);
    this.state = new Uint8Array(count);
    this.words = new Uint32Array(count);
    this.served = new Uint8Array(count);
  }

  /** Records what the client of a finished request saw. */
  note(number: number, seen: Seen): void {
    const { kind, requestId, status, received, isWhole, hasLeft, failure = '' } = seen;
    const gotBytes = status === 200 && received !== '';
    const isRefused = status >= 400;
    this.ids[number] = requestId;
    this.kind[number] = kinds.indexOf(kind);
    const flags = [gotBytes, isWhole, hasLeft, isRefused, sawDeath(seen, this.relayDeaths)];
    this.state[number] = flags.reduce((bits, flag, index) => bits + (flag ? 2 ** index : 0), 0);
    this.counts.asked += 1;
    if (isWhole) this.counts.whole += 1;
    else if (hasLeft) this.counts.left += 1;
    if (isWhole || hasLeft) return;
    const text = failure.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…').slice(0, 120);
    this.failures.set(text, (this.failures.get(text) ?? 0) + 1);
    if (isRefused) this.counts.refused += 1;
    else this.counts.broken += 1;
  }

  /** Records what the upstream served, from its journal. */
  noteServed({ body, status, wordsSent }: JournalEntry): void {
    const number = Number(MARK.exec(JSON.stringify(body))?.[2] ?? -1);
    if (number < 0 || status !== 200) return;
    this.words[number] = (this.words[number] ?? 0) + wordsSent;
    this.served[number] = (this.served[number] ?? 0) + 1;
  }

  get servedByUpstream(): number {
    return this.served.reduce((sum, times) => sum + times, 0);
  }

  /** Creates the table `witness` in the schema of that name. */
  async write(client: Client): Promise<void> {
    await client.query(`drop schema if exists "witness" cascade; create schema "witness";
      create table "witness"."witness" ("number" int, "id" uuid null, "kind" text, "got_bytes" boolean, "is_whole" boolean, "is_refused" boolean,
        "saw_death" boolean, "price" bigint, "most" bigint, "prompt" bigint, "served" int)`);
    for (let from = 0; from < this.kind.length; from += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, this.kind.length - from) }, (_, index) =>
        this.row(from + index),
      );
      await client.query(
        `insert into "witness"."witness" select * from json_to_recordset($1::json) as w("number" int, "id" uuid, "kind" text, "got_bytes" boolean,
           "is_whole" boolean, "is_refused" boolean, "saw_death" boolean, "price" bigint, "most" bigint, "prompt" bigint, "served" int)`,
        [JSON.stringify(rows)],
      );
    }
    await client.query(`create index on "witness"."witness" ("id"); analyze "witness"."witness"`);
  }

  private row(number: number): object {
    const kind = kinds[this.kind[number] ?? 0] ?? 'chat';
    const state = this.state[number] ?? 0;
    const words = this.words[number] ?? 0;
    const { priceOf } = KINDS[kind];
    return {
      ...{ number, kind, id: this.ids[number] || null, served: this.served[number] ?? 0 },
      got_bytes: (state & 1) !== 0,
      is_whole: (state & 2) !== 0,
      is_refused: (state & 8) !== 0,
      saw_death: (state & 16) !== 0,
      prompt: mostForPrompt(kind),
      price: priceOf(WORDS),
      most: Math.ceil(Math.max(priceOf(Math.min(words, WORDS)), ESTIMATE.factor * priceOf(words + ESTIMATE.ahead))),
    };
  }
}

const diedBeforeTheFirstByte = `(p."reason" = 'interrupted' and w."served" > 0 and w."saw_death" and p."amount" <= w."prompt"
    and exists (select from "logging"."log" l where l."event_id" = p."id" and l."completion_tokens" = 0))`;

/** Each query returns the number of requests or accounts that are wrong; the users are those of the run. */
const questions: Readonly<Record<string, string>> = {
  lost: `select count(*) from "witness"."witness" w where w."got_bytes" and (
      not exists (select from "billing"."posting" p where p."id" = w."id" and p."code" = 'consumption' and p."amount" > 0)
      or not exists (select from "logging"."log" l where l."event_id" = w."id"))`,
  'whole answers at another price': `select count(*) from "witness"."witness" w join "billing"."posting" p on p."id" = w."id"
    where w."is_whole" and p."amount" <> w."price"`,
  'charged more than was served': `select count(*) from "witness"."witness" w join "billing"."posting" p on p."id" = w."id"
    where p."amount" > w."most"`,
  // Except requests whose relay died between writing the record and sending the first byte: the record is booked with
  // its last progress, which is the prompt.
  'refused and charged': `select count(*) from "witness"."witness" w join "billing"."posting" p on p."id" = w."id"
    where w."is_refused" and p."amount" > 0 and not ${diedBeforeTheFirstByte}`,
  'doubled in the journal': `select greatest(0, (select count(*) from "billing"."posting" where "user_id" = any($1) and "code" = 'consumption' and "amount" > 0)
    - (select coalesce(sum("served"), 0) from "witness"."witness"))`,
  'doubled in the usage log': `select count(*) from (select from "logging"."log" where "user_id" = any($1) and "type" in (2, 5)
    group by "event_id" having count(*) > 1) d`,
  'wallets overdrawn': `select count(*) from "billing"."account" where "user_id" = any($1) and "spent" > "credit"`,
  'tokens overdrawn': `select count(*) from "billing"."token" where "user_id" = any($1) and not "unlimited_quota" and "spent" > "credit"`,
};

/**
 * The declared exception, reported next to the verdict: the client got 502 or 503 from the gateway although the
 * upstream had begun to reply.
 */
export async function promptsOfTheDead(client: Client): Promise<number> {
  const { rows } = await client.query<{ n: string }>(
    `select count(*) as "n" from "witness"."witness" w join "billing"."posting" p on p."id" = w."id"
     where w."is_refused" and p."amount" > 0 and ${diedBeforeTheFirstByte}`,
  );
  return Number(rows[0]?.n);
}

/** The results of all queries. */
export async function verdictOf(client: Client, userIds: readonly number[]): Promise<Record<string, number>> {
  const verdict: Record<string, number> = {};
  for (const [name, query] of Object.entries(questions)) {
    const values = query.includes('$1') ? [userIds] : [];
    const { rows } = await client.query<{ n: string }>(`select (${query})::bigint as "n"`, values);
    verdict[name] = Number(rows[0]?.n);
  }
  return verdict;
}

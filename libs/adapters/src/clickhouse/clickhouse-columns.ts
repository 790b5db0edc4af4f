import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, ColumnStore, type Env } from '@tollgate/chassis';
import { Agent, type Dispatcher, request } from 'undici';

export interface ClickhouseOptions {
  /** URL of the HTTP interface, with or without TLS. */
  url: string;
  database: string;
  user?: string;
  password?: string;
  /** File of the certificates that sign the server's; those of Node when absent. */
  caFile?: string;
}

const PATIENCE_MS = 15_000;
const RETRY_MS = 500;
const MINUTE_MS = 60_000;
/** The longest pause of an answer that comes row by row: rows may be looked for longer than they take to come. */
const STREAM_MINUTES = 10;
const MOST_TOLD = 300;
/**
 * What passes when the server has less to do or is whole again: a query that took too long, too many at once, no memory, a table that is only
 * read or has too many parts, parts that cannot be merged now, a server that stops.
 */
const PASSING = new Set(['159', '202', '209', '210', '236', '241', '242', '252', '388', '999']);

/** ClickHouse by its HTTP interface, in the words that it has understood since 2018: no parameters, no settings but those below. */
export class ClickhouseColumns extends ColumnStore {
  private readonly agent: Agent;

  constructor(private readonly options: ClickhouseOptions) {
    super();
    const { caFile } = options;
    this.agent = new Agent({ connect: caFile === undefined ? {} : { ca: readFileSync(caFile) } });
  }

  /** Makes the database where there is none, unless it is left to others. A server that starts at the same time is waited for. */
  async start(migrate: Env['TOLLGATE_MIGRATE'], patienceMs = PATIENCE_MS): Promise<void> {
    const { database } = this.options;
    const deadline = performance.now() + patienceMs;
    const statement =
      migrate === 'never'
        ? `select name from system.databases where name = '${database}'`
        : `create database if not exists \`${database}\``;
    const answer = async (): Promise<string> => {
      for (;;)
        try {
          return await this.send(statement, { database: 'default' });
        } catch (error) {
          if (!mayPass(error) || performance.now() > deadline) throw error;
          await pause(RETRY_MS);
        }
    };
    if ((await answer()) === '' && migrate === 'never')
      throw new AppError(
        'unavailable',
        'schema-outdated',
        `it has no database "${database}". Run \`migrate\` first, or set TOLLGATE_MIGRATE=start.`,
      );
  }

  async run(statement: string, minutes = 1): Promise<void> {
    await this.send(statement, { minutes });
  }

  async query<Row extends object>(statement: string): Promise<Row[]> {
    const text = await this.send(`${statement} format JSONEachRow`);
    return text.split('\n').flatMap((line) => (line === '' ? [] : readRow<Row>(line)));
  }

  async *stream<Row extends object>(statement: string): AsyncIterable<Row> {
    const answer = await this.ask(`${statement} format JSONEachRow`, { minutes: STREAM_MINUTES, whole: false });
    if (answer.statusCode !== 200) throw failure(answer.statusCode, await answer.body.text());
    try {
      for await (const line of linesOf(answer.body)) yield readRow<Row>(line);
    } catch (error) {
      throw error instanceof AppError || error instanceof ClickhouseError ? error : unavailable(error);
    }
  }

  async insert(table: string, rows: readonly object[]): Promise<void> {
    if (rows.length === 0) return;
    await this.send(`insert into ${table} format JSONEachRow\n${rows.map((row) => JSON.stringify(row)).join('\n')}`);
  }

  async stop(): Promise<void> {
    await this.agent.destroy();
  }

  private async send(statement: string, options: SendOptions = {}): Promise<string> {
    const { statusCode: status, body } = await this.ask(statement, options);
    const text = await body.text().catch((error: unknown) => {
      throw unavailable(error);
    });
    if (status === 200) return text;
    throw failure(status, text);
  }

  private async ask(
    statement: string,
    { minutes = 1, database = this.options.database, whole = true }: SendOptions,
  ): Promise<Dispatcher.ResponseData> {
    const { url, user, password } = this.options;
    const query = {
      database,
      // What fails half-way through an answer would otherwise come with the status of success.
      ...(whole && { wait_end_of_query: '1' }),
      output_format_json_quote_64bit_integers: '1',
      // Otherwise OPTIMIZE reports success also where it merged nothing.
      optimize_throw_if_noop: '1',
    };
    const headers = {
      ...(user !== undefined && { 'x-clickhouse-user': user }),
      ...(password !== undefined && { 'x-clickhouse-key': password }),
    };
    const timeoutMs = minutes * MINUTE_MS;
    try {
      return await request(new URL('/', url), {
        ...{ query, headers, body: statement, method: 'POST', dispatcher: this.agent },
        ...{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
      });
    } catch (error) {
      throw unavailable(error);
    }
  }
}

interface SendOptions {
  minutes?: number;
  database?: string;
  /** Whether the server answers only once it has all of the answer. */
  whole?: boolean;
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Where an answer breaks off, its last line is the server's reason instead of a row. */
function readRow<Row>(line: string): Row {
  try {
    return JSON.parse(line) as Row;
  } catch {
    throw failure(200, line);
  }
}

class ClickhouseError extends Error {}

function failure(status: number, text: string): Error {
  // A statement may hold what people wrote, so no more of the answer is told than its beginning.
  const error = new ClickhouseError(`ClickHouse answered ${status}: ${text.slice(0, MOST_TOLD)}`);
  const [, code = ''] = /Code: (\d+)/.exec(text) ?? [];
  return PASSING.has(code) ? unavailable(error) : error;
}

type Settings = Pick<
  Env,
  | 'CLICKHOUSE_URL'
  | 'CLICKHOUSE_DATABASE'
  | 'CLICKHOUSE_USER'
  | 'CLICKHOUSE_PASSWORD'
  | 'CLICKHOUSE_CA_FILE'
  | 'TOLLGATE_MIGRATE'
>;

/** The server that the environment names. */
export async function openClickhouse(env: Settings): Promise<ClickhouseColumns> {
  if (env.CLICKHOUSE_URL === undefined)
    throw new AppError(
      'unavailable',
      'environment-incomplete',
      'TOLLGATE_LOG_STORE is clickhouse: set CLICKHOUSE_URL, e.g. http://host:8123',
    );
  const columns = new ClickhouseColumns({
    ...{ url: env.CLICKHOUSE_URL, database: env.CLICKHOUSE_DATABASE, caFile: env.CLICKHOUSE_CA_FILE },
    ...{ user: env.CLICKHOUSE_USER, password: env.CLICKHOUSE_PASSWORD },
  });
  try {
    await columns.start(env.TOLLGATE_MIGRATE);
    return columns;
  } catch (error) {
    await columns.stop();
    const told = `ClickHouse at ${new URL(env.CLICKHOUSE_URL).host} cannot be used: ${reasonOf(error)}`;
    throw new AppError('unavailable', 'clickhouse-unusable', told, { cause: error });
  }
}

/** A server that starts soon answers; one whose certificate is not trusted stays so. */
const mayPass = (error: unknown): boolean =>
  error instanceof AppError && !/CERT|SIGNATURE/.test(String((error.cause as { code?: unknown } | undefined)?.code));

/** What the server or the network said, where that is not in the error's own words. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error as { cause?: { message?: string }; message: string };
  return cause?.message ?? message;
};

/** The refusal by which callers recognise every server that is away. */
const unavailable = (cause: unknown): AppError =>
  new AppError('unavailable', 'service-unreachable', '服务暂不可用，请稍后重试', { cause, retryAfter: 2 });

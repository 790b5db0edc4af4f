import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, ColumnStore, type Env } from '@tollgate/chassis';
import { Agent, type Dispatcher, request } from 'undici';

interface ClickhouseOptions {
  /** URL of the HTTP interface, with or without TLS. */
  url: string;
  database: string;
  user?: string;
  password?: string;
  /** PEM file of the authorities that sign the server's certificate; Node's by default. */
  caFile?: string;
}

const PATIENCE_MS = 15_000;
const RETRY_MS = 500;
const MINUTE_MS = 60_000;
/** Longest pause in minutes between rows of a streamed result: finding the next row may take long. */
const STREAM_MINUTES = 10;
const MOST_TOLD = 300;
/**
 * ClickHouse error codes of temporary failures, which are reported as an outage: time-outs, too many queries, out of memory, a read-only
 * table or one with too many parts, parts that cannot be merged now, a server that stops.
 */
const PASSING = new Set(['159', '202', '209', '210', '236', '241', '242', '252', '388', '999']);

/** ClickHouse via its HTTP interface. Uses only features available since 2018: no query parameters, and no settings but those below. */
class ClickhouseColumns extends ColumnStore {
  private readonly agent: Agent;

  constructor(private readonly options: ClickhouseOptions) {
    super();
    const { caFile } = options;
    this.agent = new Agent({ connect: caFile === undefined ? {} : { ca: readFileSync(caFile) } });
  }

  /** Creates the database if needed, unless migrations are left to a job. Waits for a server that is starting. */
  async start(migrate: Env['TOLLGATE_MIGRATE']): Promise<void> {
    const { database } = this.options;
    const deadline = performance.now() + PATIENCE_MS;
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
    const answer = await this.dispatch(`${statement} format JSONEachRow`, { minutes: STREAM_MINUTES, whole: false });
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
    const { statusCode: status, body } = await this.dispatch(statement, options);
    const text = await body.text().catch((error: unknown) => {
      throw unavailable(error);
    });
    if (status === 200) return text;
    throw failure(status, text);
  }

  private async dispatch(
    statement: string,
    { minutes = 1, database = this.options.database, whole = true }: SendOptions,
  ): Promise<Dispatcher.ResponseData> {
    const { url, user, password } = this.options;
    const query = {
      database,
      // Without this setting, a failure in the middle of a result would be sent with status 200.
      ...(whole && { wait_end_of_query: '1' }),
      output_format_json_quote_64bit_integers: '1',
      // Without this setting, OPTIMIZE reports success even when it merged nothing.
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
  /** Whether the server sends its reply only when the result is complete. */
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

/** If a result breaks off, its last line is the server's error message instead of a row. */
function readRow<Row>(line: string): Row {
  try {
    return JSON.parse(line) as Row;
  } catch {
    throw failure(200, line);
  }
}

class ClickhouseError extends Error {}

function failure(status: number, text: string): Error {
  // The reply may quote the statement and thus user data, so only its beginning is kept.
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

/** Opens the server configured in the environment. */
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
    const explanation = `ClickHouse at ${new URL(env.CLICKHOUSE_URL).host} cannot be used: ${reasonOf(error)}${isOutdated(error) ? '' : CHECK}`;
    throw new AppError('unavailable', 'clickhouse-unusable', explanation, { cause: error });
  }
}

const CHECK =
  '. Check CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD and CLICKHOUSE_CA_FILE, and that the server runs.';
/** Its message says what to do. */
const isOutdated = (error: unknown): boolean => error instanceof AppError && error.code === 'schema-outdated';

/** Whether waiting may help: a server may still be starting, but an untrusted certificate stays untrusted. */
const mayPass = (error: unknown): boolean =>
  error instanceof AppError && !/CERT|SIGNATURE/.test(String((error.cause as { code?: unknown } | undefined)?.code));

/** One line; the cause's message has more detail than the error itself. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error as { cause?: { message?: string; code?: string }; message: string };
  // An attempt at several addresses fails with a code alone.
  return (cause?.message || cause?.code || message).trim().replace(/\s+/g, ' ');
};

/** The error by which callers recognise that a server is unavailable. */
const unavailable = (cause: unknown): AppError =>
  new AppError('unavailable', 'service-unreachable', '服务暂不可用，请稍后重试', { cause, retryAfter: 2 });

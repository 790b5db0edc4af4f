import { Socket } from 'node:net';
import { Client } from 'pg';
import { probedConfig } from '../orm/connection.js';
import { intervalOver, type Logger } from '@tollgate/chassis';

interface LeaderOptions {
  url: string;
  /** Processes with the same name on the same database compete for leadership. */
  name: string;
  log: Logger;
  /** Ids of the secret keys that the process accepts, for commands that must not use another one. */
  keyIds?: readonly string[];
  onLost?: () => void;
}

const ATTEMPT_MS = 1_000;
const PROOF_MS = 2_000;
/** A server that has vanished never closes its end of the connection, and the kernel would wait for it for minutes. */
const GOODBYE_MS = 2_000;
/** The server ends a session that proves nothing for this long, even if its process is only frozen. */
const IDLE_SESSION = '-c idle_session_timeout=15000';

/** PostgreSQL cuts the name of a session after 63 bytes, so of each id only these characters are in it. */
const KEY_CHARACTERS = 8;
const PREFIX = 'tollgate-leader-';
const KEYS = ' keys ';

function sessionName(name: string, keyIds: readonly string[]): string {
  const keys = keyIds.map((id) => id.slice(0, KEY_CHARACTERS)).join(' ');
  return `${PREFIX}${name}${keys === '' ? '' : `${KEYS}${keys}`}`;
}

/**
 * The services with a running process that does not accept the secret key. A process of an older release does not tell
 * its keys and is left out.
 */
export async function servicesWithoutKey(client: Client, keyId: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and application_name like $1 order by 1`,
    [`${PREFIX}%${KEYS}%`],
  );
  const told = rows.map(({ name }) => name.slice(PREFIX.length).split(KEYS));
  const lacking = told.filter(([, keys = '']) => !keys.split(' ').includes(keyId.slice(0, KEY_CHARACTERS)));
  return [...new Set(lacking.map(([service = '']) => service))];
}

interface Session {
  client: Client;
  socket: Socket;
}

async function end({ client, socket }: Session): Promise<void> {
  const patience = setTimeout(() => socket.destroy(), GOODBYE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(patience);
}

/**
 * Elects one of all processes with the same name, by a session advisory lock on its own connection: losing the connection loses the lock.
 * Between the loss and its detection two processes may believe that they lead, so leader tasks must tolerate being run twice.
 */
export class Leader {
  private elected = false;
  private stopped = false;
  private failing = false;
  private session: Session | undefined;
  private running: Promise<void> | undefined;
  private readonly wake = new AbortController();

  constructor(private readonly options: LeaderOptions) {}

  get isLeader(): boolean {
    return this.elected;
  }

  /** Starts competing; resolves after the first attempt, won or lost. Rejects if the database cannot be reached. */
  async start(): Promise<void> {
    this.session = await this.connect();
    await this.attempt(this.session);
    this.running = this.compete();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wake.abort();
    await this.running;
    await this.drop();
  }

  private async compete(): Promise<void> {
    while (!this.stopped) {
      await intervalOver(this.elected ? PROOF_MS : ATTEMPT_MS, this.wake.signal);
      if (this.stopped) return;
      try {
        this.session ??= await this.connect();
        if (this.elected) await this.session.client.query('select 1');
        else await this.attempt(this.session);
        if (this.failing) this.options.log.info(`competes for the lock "${this.options.name}" again`);
        this.failing = false;
      } catch (error) {
        this.complain(error);
        await this.drop();
      }
    }
  }

  /** Once per outage. */
  private complain(error: unknown): void {
    const { log, name } = this.options;
    const what = this.elected ? 'lost the connection that holds' : 'no connection to compete for';
    if (!this.failing) log.warn(`${what} the lock "${name}", will go on trying`, { error });
    this.failing = true;
  }

  private async attempt(session: Session): Promise<void> {
    const { rows } = await session.client.query<{ won: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as won',
      [`tollgate:leader:${this.options.name}`],
    );
    if (rows[0]?.won && this.session === session) this.elected = true;
  }

  private async connect(): Promise<Session> {
    const { url, name, keyIds = [] } = this.options;
    const socket = new Socket();
    const client = new Client({
      ...probedConfig(url, [IDLE_SESSION]),
      stream: () => socket,
      application_name: sessionName(name, keyIds),
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    const session = { client, socket };
    const lost = (error?: Error): void => {
      if (this.session !== session) return;
      this.complain(error);
      void this.drop();
    };
    client.on('error', lost).on('end', lost);
    await client.connect();
    return session;
  }

  private async drop(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    if (this.elected) {
      this.elected = false;
      this.options.onLost?.();
    }
    if (session) await end(session);
  }
}

import { existsSync } from 'node:fs';
import { z } from 'zod';

const HOST_AND_PORT = '[^\\s,:|]+:\\d{1,5}';
const BROKERS = new RegExp(`^${HOST_AND_PORT}(,${HOST_AND_PORT})*$`);
const ORIGIN = 'https?://[^\\s,|/]+/?';
const REPLICAS = `(${ORIGIN}|dns\\+http://[^\\s,|/]+/?)`;
const SERVICE = `(gateway|identity|billing|channel|relay|logging)=${REPLICAS}(\\|${REPLICAS})*`;
const SERVICES = new RegExp(`^(${SERVICE}(,${SERVICE})*)?$`);

/** Path of a file that must exist when the process starts. */
const path = z
  .string()
  .min(1)
  .refine((file) => existsSync(file), 'there is no such file')
  .optional();

/** Accepts the spellings that other gateways use in their environment files: true and false, 1 and 0, on and off. */
const truth = z.stringbool({ error: 'expected true or false' }).default(true);

const flag = (fallback: 'on' | 'off') => z.enum(['on', 'off']).default(fallback);

/** One row per environment variable: its schema with the default, and its description in `.env.example`. */
const rows = {
  PORT: [
    z.coerce.number().int().min(0).max(65_535).default(3000),
    'Port of the console and the API; 0 takes a free one.',
  ],
  HOST: [z.string().default('0.0.0.0'), 'Address to listen on.'],
  TOLLGATE_ADDRESS: [
    z.url({ protocol: /^https?$/ }).optional(),
    'Where people reach the console while the option ServerAddress is empty; http://localhost and the port when absent.',
  ],
  TOLLGATE_METRICS_PORT: [
    z.coerce.number().int().min(1).max(65_535).optional(),
    'One more port, for /metrics, /healthz and /readyz only; the last two are on PORT in any case.',
  ],
  TOLLGATE_PUBLIC_METRICS: [flag('off'), 'on answers /metrics on PORT too, for everybody who reaches that port.'],
  TOLLGATE_DATA_DIR: [
    z.string().min(1).default('./data'),
    'Folder of the embedded database, the spool and the generated secret.',
  ],
  DATABASE_URL: [
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'PostgreSQL; an embedded server runs in the data folder when absent. With ?sslmode=verify-full&sslrootcert=/file by TLS.',
  ],
  REDIS_URL: [
    z.url({ protocol: /^rediss?$/ }).optional(),
    'Redis, by TLS with rediss://; in-memory state when absent (one process only).',
  ],
  REDIS_CA_FILE: [path, 'Certificates (PEM) that sign the one of Redis; those of Node when absent.'],
  KAFKA_BROKERS: [
    z.string().regex(BROKERS, 'expected host:port,host:port').optional(),
    'Comma-separated host:port of Kafka brokers; a table of the database when absent.',
  ],
  KAFKA_TLS: [flag('off'), 'on speaks TLS with the brokers.'],
  KAFKA_CA_FILE: [path, 'Certificates (PEM) that sign those of the brokers; those of Node when absent.'],
  KAFKA_SASL_MECHANISM: [
    z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
    'How Tollgate signs in at the brokers; not at all when absent.',
  ],
  KAFKA_SASL_USERNAME: [z.string().min(1).optional(), 'Name to sign in with at the brokers.'],
  KAFKA_SASL_PASSWORD: [z.string().min(1).optional(), 'Password to sign in with at the brokers.'],
  TOLLGATE_LOG_STORE: [
    z.enum(['postgresql', 'clickhouse']).default('postgresql'),
    'Where the usage log is kept; with clickhouse its sums, the audit log and the keys of its rows stay in PostgreSQL. To be chosen before the first row.',
  ],
  CLICKHOUSE_URL: [
    z.url({ protocol: /^https?$/ }).optional(),
    'HTTP interface of ClickHouse, by TLS with https://; needed where TOLLGATE_LOG_STORE is clickhouse.',
  ],
  CLICKHOUSE_DATABASE: [
    z
      .string()
      .regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/)
      .default('tollgate'),
    'Database of the table of the usage log in ClickHouse; made when it is not there.',
  ],
  CLICKHOUSE_USER: [z.string().min(1).optional(), 'Name to sign in with at ClickHouse; default when absent.'],
  CLICKHOUSE_PASSWORD: [z.string().min(1).optional(), 'Password to sign in with at ClickHouse.'],
  CLICKHOUSE_CA_FILE: [path, 'Certificates (PEM) that sign the one of ClickHouse; those of Node when absent.'],
  TOLLGATE_TOPIC_PREFIX: [
    z
      .string()
      .regex(/^[a-zA-Z0-9._-]*$/)
      .default(''),
    'Put before the name of every topic and consumer group.',
  ],
  TOLLGATE_TOPIC_REPLICATION: [
    z.coerce.number().int().min(0).max(32).default(0),
    'Copies of each partition in new Kafka topics; 0 takes three, or as many as there are brokers.',
  ],
  TOLLGATE_TOPIC_RETENTION_HOURS: [
    z.coerce.number().int().min(1).max(87_600).default(168),
    'How long new Kafka topics keep events.',
  ],
  TOLLGATE_SERVICES: [
    z.string().regex(SERVICES, 'expected service=http://host:port|http://host:port,service=…').default(''),
    'Where the services of other processes are: identity=http://host:port,billing=http://one:port|http://two:port; of dns+http://name:port each address of the name is a replica.',
  ],
  TOLLGATE_SECRET_KEY: [
    z.string().min(32).optional(),
    'At least 32 characters; encrypts secrets and signs identities. Generated into the data folder when absent.',
  ],
  TOLLGATE_SECRET_KEY_PREVIOUS: [
    z.string().min(32).optional(),
    'The secret key before this one, while it is replaced: what was made with it is still accepted.',
  ],
  TOLLGATE_SECRET_KEY_NEXT: [
    z.string().min(32).optional(),
    'The secret key after this one, so that a replica that has it already is understood by those that do not use it yet.',
  ],
  TOLLGATE_SETUP_TOKEN: [
    z.string().min(16, 'needs at least 16 characters').max(200).optional(),
    'What the set-up asks from callers on other machines; made from the secret key and printed at the first start when absent.',
  ],
  TOLLGATE_MIGRATE: [
    z.enum(['start', 'never']).default('start'),
    'Run migrations before listening, or never (a job does it).',
  ],
  TOLLGATE_RATE_LIMITS: [flag('on'), 'off switches the limits by address and account off, for load tests.'],
  TOLLGATE_TRUSTED_PROXIES: [
    z.string().default(''),
    'Comma-separated addresses and CIDR ranges whose X-Forwarded-For counts; nobody by default.',
  ],
  TOLLGATE_OUTBOUND_ALLOW: [
    z.string().default(''),
    'Comma-separated hosts and CIDR ranges that outbound calls may reach besides public addresses.',
  ],
  TOLLGATE_RELEASES_URL: [
    z.url({ protocol: /^https?$/ }).optional(),
    'List of releases that "check for updates" in the settings asks, as JSON with tag_name, body and html_url; it says how to set this when absent.',
  ],
  TOLLGATE_DRAIN_SECONDS: [
    z.coerce.number().min(0).max(3600).default(25),
    'How long open requests may finish after a stop signal.',
  ],
  TOLLGATE_NOTICE_SECONDS: [
    z.coerce.number().min(0).max(300).default(2),
    'How long a stopping replica still takes requests after /readyz says no, for balancers to notice; several processes only.',
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    z.url({ protocol: /^https?$/ }).optional(),
    'Where traces and logs go by OTLP over HTTP; neither when absent. The exporters read their other OTEL_EXPORTER_OTLP_ variables themselves.',
  ],
  OTEL_SERVICE_NAME: [z.string().min(1).optional(), 'Name in traces; tollgate or tollgate-<service> when absent.'],
  OTEL_TRACES_SAMPLER_ARG: [
    z.coerce.number().min(0).max(1).default(1),
    'Share of requests traced that came without a trace of their own.',
  ],
  OTEL_LOGS_EXPORTER: [
    z.enum(['otlp', 'none']).default('otlp'),
    'none sends traces only; the log is on standard output in any case.',
  ],
  OTEL_SDK_DISABLED: [
    z.stringbool({ error: 'expected true or false' }).default(false),
    'true makes no traces, whatever else is set.',
  ],
  TOLLGATE_SECURE_COOKIES: [
    z.enum(['auto', 'always']).default('auto'),
    'auto sets Secure, the name __Host-session and HSTS when the request came by https; always does without asking, for proxies that end TLS and are not trusted.',
  ],
  TOLLGATE_SEAL_FILE: [
    z.string().min(1).optional(),
    'File that billing appends each seal of the journal to, best on storage that only takes additions; none when absent.',
  ],
  TOLLGATE_OVERDRAFT: [
    z.enum(['bounded', 'never']).default('bounded'),
    'never lends nothing again while a spool is missing, and refuses calls whose very most, with words that an upstream may put before the prompt, is not there.',
  ],
  TOLLGATE_SPOOL_LIMIT_MB: [
    z.coerce.number().int().min(16).max(1_048_576).default(1024),
    'Most that the relay keeps of unbooked requests on disk before it answers 503.',
  ],
  TOLLGATE_BODIES_MB: [
    z.coerce.number().int().min(64).max(1_048_576).default(768),
    'Most memory of request bodies of model calls, with what is made of them, in one relay; more gets 503.',
  ],
  TOLLGATE_BODIES_PER_USER_MB: [
    z.coerce.number().int().min(1).max(1_048_576).default(384),
    'The same for the calls of one user.',
  ],
  TOLLGATE_BODIES_PER_ADDRESS_MB: [
    z.coerce.number().int().min(1).max(1_048_576).default(512),
    'The same for the calls from one client address.',
  ],
  TOLLGATE_REPLIES_MB: [
    z.coerce.number().int().min(256).max(1_048_576).default(512),
    'Most memory of replies that come in one piece, in one relay, half of it for one user; more gets 503.',
  ],
  TOLLGATE_STREAM_IDLE_SECONDS: [
    z.coerce.number().min(1).max(3600).default(60),
    'Silence of an upstream stream after which it counts as cut (twice that of OpenAI models whose names begin with o and a digit), and how long a client may take nothing of what waits for it (300 at most).',
  ],
  TOLLGATE_UPSTREAM_TIMEOUT_SECONDS: [
    z.coerce.number().min(1).max(3600).default(300),
    'How long an upstream may take to its first byte.',
  ],
  TOLLGATE_DEMONSTRATION: [
    z.enum(['auto', 'on', 'off']).default('auto'),
    'A provider for demonstrations inside the processes of relay and channel, for people without a provider key; auto has it beside neither Redis nor Kafka, and not with NODE_ENV=production.',
  ],
  TOLLGATE_MAIL_LOG: [
    flag('off'),
    'on writes mails to the log while no SMTP server is set, for development; without effect beside Redis or Kafka, or with NODE_ENV=production.',
  ],
  TOLLGATE_REALTIME_SESSIONS: [
    z.coerce.number().int().min(0).max(100_000).default(1000),
    'Most realtime sessions open in one relay; more get 503.',
  ],
  TOLLGATE_REALTIME_SESSIONS_PER_USER: [
    z.coerce.number().int().min(0).max(100_000).default(50),
    'The same for one user; more get 429.',
  ],
  TOLLGATE_REALTIME_SESSION_MINUTES: [
    z.coerce.number().min(1).max(1440).default(120),
    'How long one realtime session may last.',
  ],
  TOLLGATE_IDEMPOTENCY_MB: [
    z.coerce.number().int().min(2).max(1_048_576).default(512),
    'Most that is kept of calls with an Idempotency-Key and their answers for a day, of all replicas together, an eighth of it for one user; more gets 503.',
  ],
  AZURE_DEFAULT_API_VERSION: [
    z
      .string()
      .regex(/^[\w.-]{1,40}$/, 'expected a version such as 2024-12-01-preview')
      .default('2024-12-01-preview'),
    'Version of the API for Azure channels that name none; the query api-version of a client wins over both.',
  ],
  COHERE_SAFETY_SETTING: [
    z
      .string()
      .toUpperCase()
      .pipe(z.enum(['NONE', 'CONTEXTUAL', 'STRICT', 'OFF']))
      .default('NONE'),
    'safety_mode of chats with Cohere; NONE sends none, and Cohere takes its own.',
  ],
  DIFY_DEBUG: [truth, 'true shows the steps of a Dify workflow or agent as reasoning; false leaves them out.'],
  FORCE_STREAM_OPTION: [
    truth,
    'true asks upstreams that can for the usage of a stream, also where the client did not; false leaves that to the client, and what no upstream states is counted here.',
  ],
  GEMINI_VISION_MAX_IMAGE_NUM: [
    z.coerce.number().int().min(-1).max(10_000).default(16),
    'Most pictures in one message to Gemini models; -1 is any number. More get 400.',
  ],
  GET_MEDIA_TOKEN: [
    truth,
    'true counts pictures by their size where an upstream states no usage; false takes each for three tiles without looking.',
  ],
  GET_MEDIA_TOKEN_NOT_STREAM: [
    truth,
    'false takes each picture of a request that is no stream for 255 tokens, where an upstream states no usage.',
  ],
  MAX_FILE_DOWNLOAD_MB: [
    z.coerce.number().int().min(1).max(512).default(20),
    'Most that is fetched of the pictures of one request that stand in it as addresses, where the upstream fetches nothing itself. More get 400.',
  ],
  CHANNEL_TEST_FREQUENCY: [
    z.coerce.number().int().min(0).max(10_080).default(0),
    'Minutes from one test of all channels to the next, by one replica of channel; 0 tests none. The setting ChannelTestFrequency wins.',
  ],
  CHANNEL_UPDATE_FREQUENCY: [
    z.coerce.number().int().min(0).max(10_080).default(0),
    'Minutes from one look at the balances of all channels to the next; 0 looks at none. The setting ChannelUpdateFrequency wins.',
  ],
  GENERATE_DEFAULT_TOKEN: [
    z.stringbool({ error: 'expected true or false' }).default(false),
    'true gives everybody who registers with a password a first API key, without a limit of its own.',
  ],
  LOG_REQUESTS: [flag('off'), 'on logs a line per request: operation, status, duration, request id.'],
  LOG_LEVEL: [
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    'Lowest level that is logged.',
  ],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

export type EnvName = keyof typeof rows;
export type Env = { [Name in EnvName]: z.output<(typeof rows)[Name][0]> };

/** Name, default and meaning of every variable, for `.env.example` and the documents. */
export const envTable = (Object.entries(rows) as [EnvName, readonly [z.ZodType, string]][]).map(
  ([name, [schema, meaning]]) => {
    const parsed = schema.safeParse(undefined);
    return { name, meaning, default: parsed.success && parsed.data !== undefined ? String(parsed.data) : '' };
  },
);

/** Validates the environment once. Throws a single error that lists every wrong variable with the values it accepts. */
export function readEnv(source: NodeJS.ProcessEnv = process.env): Env {
  const faults: string[] = [];
  const entries = Object.entries(rows).map(([name, [schema]]) => {
    const raw = source[name];
    const result = schema.safeParse(raw === '' ? undefined : raw);
    if (!result.success) faults.push(`${name}: ${result.error.issues[0]?.message ?? 'not valid'}`);
    return [name, result.data];
  });
  if (faults.length > 0) throw new Error(`Environment not usable. ${faults.join('; ')}. See .env.example.`);
  return Object.fromEntries(entries) as Env;
}

import { z } from 'zod';
import { wrongBroker, wrongDestination, wrongProxy } from './address-lists.js';
import { checked, list, number, oneOf, path, pattern, secret, truth, url, wholeNumber } from './env-schemas.js';

const ORIGIN = 'https?://[^\\s,|/]+/?';
const REPLICAS = `(${ORIGIN}|dns\\+http://[^\\s,|/]+/?)`;
const SERVICE = `(gateway|identity|billing|channel|relay|logging)=${REPLICAS}(\\|${REPLICAS})*`;
const SERVICES = new RegExp(`^${SERVICE}(,${SERVICE})*$`);
/** The form, and no port above 65535. */
const areServices = (text: string): boolean =>
  SERVICES.test(text) && text.split(/[,|]/).every((part) => URL.canParse(part.replace(/^(\w+=)?(dns\+)?/, '')));

const ADDRESSES =
  'addresses such as 10.0.0.1 (four numbers without leading zeros) and CIDR ranges such as 10.0.0.0/8, separated by commas';
/** Characters such as @ and / would end the password of a URL. */
const ENCODED = ', with special characters of the password percent-encoded';

const flag = (fallback: 'on' | 'off') => oneOf('on', 'off').default(fallback);

/** One row per environment variable: its schema with the default, and its description in `.env.example`. */
const rows = {
  PORT: [wholeNumber(0, 65_535).default(3000), 'Port of the console and the API; 0 takes a free one.'],
  HOST: [z.string().default('0.0.0.0'), 'Address to listen on.'],
  TOLLGATE_ADDRESS: [
    url(/^https?$/, 'https://host.example'),
    'Public address of the console, used while the option ServerAddress is empty; http://localhost with the port when absent.',
  ],
  TOLLGATE_METRICS_PORT: [
    wholeNumber(1, 65_535).optional(),
    'Separate port for /metrics, /healthz and /readyz; the last two are always served on PORT too.',
  ],
  TOLLGATE_PUBLIC_METRICS: [flag('off'), 'on serves /metrics on PORT too, without authentication.'],
  TOLLGATE_DATA_DIR: [
    z.string().min(1).default('./data'),
    'Folder of the embedded database, the spool and the generated secret key.',
  ],
  DATABASE_URL: [
    url(/^postgres(ql)?$/, `postgres://user:password@host:5432/tollgate${ENCODED}`),
    'URL of PostgreSQL; without it an embedded server runs in the data folder. For TLS add ?sslmode=verify-full&sslrootcert=/file.',
  ],
  REDIS_URL: [
    url(/^rediss?$/, `redis://:password@host:6379${ENCODED}`),
    'URL of Redis, with TLS when it begins with rediss://. Without it state is kept in memory, which works with one process only.',
  ],
  REDIS_CA_FILE: [path(), 'CA certificates (PEM) for the connection to Redis; those built into Node when absent.'],
  KAFKA_BROKERS: [
    list(wrongBroker, 'host:port without a scheme, or several separated by commas').optional(),
    'Comma-separated host:port of Kafka brokers. Without it events go through a table of the database.',
  ],
  KAFKA_TLS: [flag('off'), 'on uses TLS for connections to the brokers.'],
  KAFKA_CA_FILE: [path(), 'CA certificates (PEM) for connections to the brokers; those built into Node when absent.'],
  KAFKA_SASL_MECHANISM: [
    oneOf('plain', 'scram-sha-256', 'scram-sha-512').optional(),
    'SASL mechanism for signing in to the brokers; no sign-in when absent.',
  ],
  KAFKA_SASL_USERNAME: [z.string().min(1).optional(), 'User name for signing in to the brokers.'],
  KAFKA_SASL_PASSWORD: [z.string().min(1).optional(), 'Password for signing in to the brokers.'],
  TOLLGATE_LOG_STORE: [
    oneOf('postgresql', 'clickhouse').default('postgresql'),
    'Database of the usage log. With clickhouse, its sums, the audit log and the keys of its rows stay in PostgreSQL. Cannot be changed once the log has rows.',
  ],
  CLICKHOUSE_URL: [
    url(/^https?$/, 'https://host.example'),
    'URL of the HTTP interface of ClickHouse, with TLS when it begins with https://; required when TOLLGATE_LOG_STORE is clickhouse.',
  ],
  CLICKHOUSE_DATABASE: [
    pattern(/^[a-zA-Z_][a-zA-Z0-9_]*$/, 'letters, digits and _, and no digit first').default('tollgate'),
    'ClickHouse database with the table of the usage log; created when missing.',
  ],
  CLICKHOUSE_USER: [z.string().min(1).optional(), 'User name for ClickHouse; the user default when absent.'],
  CLICKHOUSE_PASSWORD: [z.string().min(1).optional(), 'Password for ClickHouse.'],
  CLICKHOUSE_CA_FILE: [
    path(),
    'CA certificates (PEM) for the connection to ClickHouse; those built into Node when absent.',
  ],
  TOLLGATE_TOPIC_PREFIX: [
    pattern(/^[a-zA-Z0-9._-]*$/, 'letters, digits, dots, _ and -').default(''),
    'Prefix of the names of all topics and consumer groups.',
  ],
  TOLLGATE_TOPIC_REPLICATION: [
    wholeNumber(0, 32).default(0),
    'Replication factor of new Kafka topics; 0 means three, or the number of brokers if that is smaller.',
  ],
  TOLLGATE_TOPIC_RETENTION_HOURS: [
    wholeNumber(1, 87_600).default(168),
    'Hours for which new Kafka topics keep events.',
  ],
  TOLLGATE_SERVICES: [
    checked(areServices, 'service=http://host:port|http://host:port,service=…').default(''),
    'Addresses of services in other processes: identity=http://host:port,billing=http://one:port|http://two:port. With dns+http://name:port, every address that the name resolves to is a replica.',
  ],
  TOLLGATE_SECRET_KEY: [
    secret(32).optional(),
    'At least 32 characters; encrypts secrets and signs identities. Generated into the data folder when absent.',
  ],
  TOLLGATE_SECRET_KEY_PREVIOUS: [
    secret(32).optional(),
    'Previous secret key, set while the key is being replaced: ciphertexts and signatures made with it are still accepted.',
  ],
  TOLLGATE_SECRET_KEY_NEXT: [
    secret(32).optional(),
    'Next secret key, set before the key is replaced, so that replicas that still use the old key accept what is made with the new one.',
  ],
  TOLLGATE_SETUP_TOKEN: [
    secret(16).max(200, 'may have at most 200 characters').optional(),
    'Token that set-up requires from callers on other machines; when absent it is derived from the secret key and printed at the first start.',
  ],
  TOLLGATE_MIGRATE: [
    oneOf('start', 'never').default('start'),
    'start runs database migrations before the process listens; never leaves them to a separate job.',
  ],
  TOLLGATE_RATE_LIMITS: [flag('on'), 'off disables all rate limits by address and account, for load tests.'],
  GLOBAL_API_RATE_LIMIT_ENABLE: [truth().default(true), 'false disables the rate limit of the console API alone.'],
  GLOBAL_API_RATE_LIMIT: [
    wholeNumber(1, 1_000_000).default(180),
    'Calls of the console API that one account, or one address without an account, may make in GLOBAL_API_RATE_LIMIT_DURATION.',
  ],
  GLOBAL_API_RATE_LIMIT_DURATION: [
    wholeNumber(1, 86_400).default(180),
    'Length of the window of GLOBAL_API_RATE_LIMIT, in seconds.',
  ],
  TOLLGATE_TRUSTED_PROXIES: [
    list(wrongProxy, ADDRESSES).default(''),
    'Comma-separated addresses and CIDR ranges of proxies whose X-Forwarded-For header is trusted; none by default.',
  ],
  TOLLGATE_OUTBOUND_ALLOW: [
    list(wrongDestination, `hosts, ${ADDRESSES}`).default(''),
    'Comma-separated hosts and CIDR ranges that outbound calls may reach in addition to public addresses.',
  ],
  TOLLGATE_RELEASES_URL: [
    url(/^https?$/, 'https://host.example'),
    'URL that "check for updates" in the settings fetches: a JSON list of releases with tag_name, body and html_url. Without it the console explains how to set it.',
  ],
  TOLLGATE_DRAIN_SECONDS: [
    number(0, 3600).default(25),
    'Seconds that open requests have to finish after a stop signal.',
  ],
  TOLLGATE_NOTICE_SECONDS: [
    number(0, 300).default(2),
    'Seconds for which a stopping replica still accepts requests after /readyz reports not ready, so that balancers notice; only with several processes.',
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    url(/^https?$/, 'https://host.example'),
    'OTLP/HTTP endpoint for traces and logs; nothing is exported when absent. The other OTEL_EXPORTER_OTLP_ variables are read by the exporters.',
  ],
  OTEL_SERVICE_NAME: [
    z.string().min(1).optional(),
    'Service name in traces; tollgate or tollgate-<service> when absent.',
  ],
  OTEL_TRACES_SAMPLER_ARG: [
    number(0, 1).default(1),
    'Share, from 0 to 1, of requests without a trace context of their own that are traced.',
  ],
  OTEL_LOGS_EXPORTER: [
    oneOf('otlp', 'none').default('otlp'),
    'none exports traces only; the log is always written to standard output.',
  ],
  OTEL_SDK_DISABLED: [truth().default(false), 'true disables tracing, whatever else is set.'],
  TOLLGATE_SECURE_COOKIES: [
    oneOf('auto', 'always').default('auto'),
    'auto sets Secure, the name __Host-session and HSTS on requests that arrived over HTTPS; always sets them on all requests, for TLS-terminating proxies that are not in TOLLGATE_TRUSTED_PROXIES.',
  ],
  TOLLGATE_SEAL_FILE: [
    z.string().min(1).optional(),
    'File to which billing appends each seal of the journal, ideally on append-only storage; none when absent.',
  ],
  TOLLGATE_OVERDRAFT: [
    oneOf('bounded', 'never').default('bounded'),
    'never keeps quota of a lost replica reserved until its spool is found, and refuses calls that the balance does not cover at their highest possible cost; see docs/overdraft.md.',
  ],
  TOLLGATE_SPOOL_LIMIT_MB: [
    wholeNumber(16, 1_048_576).default(1024),
    'Megabytes of unbooked requests that a relay keeps on disk before it answers 503.',
  ],
  TOLLGATE_BODIES_MB: [
    wholeNumber(64, 1_048_576).default(768),
    'Megabytes of memory that one relay uses for request bodies of model calls, including converted copies; further calls get 503.',
  ],
  TOLLGATE_BODIES_PER_USER_MB: [
    wholeNumber(1, 1_048_576).default(384),
    'As TOLLGATE_BODIES_MB, for the calls of one user.',
  ],
  TOLLGATE_BODIES_PER_ADDRESS_MB: [
    wholeNumber(1, 1_048_576).default(512),
    'As TOLLGATE_BODIES_MB, for the calls from one client address.',
  ],
  TOLLGATE_REPLIES_MB: [
    wholeNumber(256, 1_048_576).default(512),
    'Megabytes of memory that one relay uses for replies that are not streamed, at most half of them for one user; further calls get 503.',
  ],
  TOLLGATE_STREAM_IDLE_SECONDS: [
    number(1, 3600).default(60),
    'Seconds without data after which an upstream stream counts as broken (twice as long for OpenAI models whose names begin with o and a digit), and for which a client may leave sent data unread (300 at most; noticed after one to two times as long). A channel may have a shorter idle_timeout.',
  ],
  TOLLGATE_UPSTREAM_TIMEOUT_SECONDS: [
    number(1, 3600).default(300),
    'Seconds that an upstream may take to send its first byte. A channel may have a shorter first_byte_timeout.',
  ],
  TOLLGATE_DEMONSTRATION: [
    oneOf('auto', 'on', 'off').default('auto'),
    'Offers a built-in demonstration provider, for people without a provider key. auto offers it only without Redis, without Kafka and without NODE_ENV=production.',
  ],
  TOLLGATE_MAIL_LOG: [
    flag('off'),
    'on writes mails to the log while no SMTP server is set, for development. No effect with Redis, with Kafka or with NODE_ENV=production.',
  ],
  TOLLGATE_REALTIME_SESSIONS: [
    wholeNumber(0, 100_000).default(1000),
    'Realtime sessions that may be open in one relay; further ones get 503.',
  ],
  TOLLGATE_REALTIME_SESSIONS_PER_USER: [
    wholeNumber(0, 100_000).default(50),
    'Realtime sessions that one user may have open in one relay; further ones get 429.',
  ],
  TOLLGATE_REALTIME_SESSION_MINUTES: [number(1, 1440).default(120), 'Minutes that one realtime session may last.'],
  TOLLGATE_IDEMPOTENCY_MB: [
    wholeNumber(2, 1_048_576).default(512),
    'Megabytes of calls with an Idempotency-Key and their answers that all replicas together keep for a day, at most an eighth of them for one user; further such calls get 503.',
  ],
  AZURE_DEFAULT_API_VERSION: [
    pattern(/^[\w.-]{1,40}$/, 'a version such as 2025-04-01-preview').default('2025-04-01-preview'),
    'API version for Azure channels without one of their own; the query parameter api-version of a client takes precedence over both.',
  ],
  COHERE_SAFETY_SETTING: [
    z
      .string()
      .toUpperCase()
      .pipe(oneOf('NONE', 'CONTEXTUAL', 'STRICT', 'OFF'))
      .default('NONE'),
    'safety_mode of chats with Cohere; NONE leaves it out, so that Cohere uses its default.',
  ],
  DIFY_DEBUG: [
    truth().default(true),
    'true returns the steps of a Dify workflow or agent as reasoning; false omits them.',
  ],
  FORCE_STREAM_OPTION: [
    truth().default(true),
    'true requests the usage of streams from upstreams that support it, even if the client does not; false leaves that to the client, and usage that the upstream does not report is counted by Tollgate.',
  ],
  GEMINI_VISION_MAX_IMAGE_NUM: [
    wholeNumber(-1, 10_000).default(16),
    'Pictures allowed in one message to Gemini models; -1 means no limit. More get 400.',
  ],
  GET_MEDIA_TOKEN: [
    truth().default(true),
    'true counts the tokens of pictures by their size when the upstream reports no usage; false counts every picture as three tiles.',
  ],
  GET_MEDIA_TOKEN_NOT_STREAM: [
    truth().default(true),
    'false counts every picture of a request without streaming as 255 tokens when the upstream reports no usage.',
  ],
  MAX_FILE_DOWNLOAD_MB: [
    wholeNumber(1, 512).default(20),
    'Megabytes of pictures, given as URLs in one request, that the relay downloads for upstreams that cannot fetch URLs. More get 400.',
  ],
  CHANNEL_TEST_FREQUENCY: [
    wholeNumber(0, 10_080).default(0),
    'Minutes between automatic tests of all channels; 0 disables them. The option ChannelTestFrequency takes precedence.',
  ],
  CHANNEL_UPDATE_FREQUENCY: [
    wholeNumber(0, 10_080).default(0),
    'Minutes between automatic updates of all channel balances; 0 disables them. The option ChannelUpdateFrequency takes precedence.',
  ],
  GENERATE_DEFAULT_TOKEN: [
    truth().default(false),
    'true creates a token without a quota limit for every user who registers with a password.',
  ],
  LOG_REQUESTS: [flag('off'), 'on logs one line per request: operation, status, duration and request id.'],
  LOG_LEVEL: [
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
    'Lowest level that is logged.',
  ],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

type EnvName = keyof typeof rows;
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

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { envTable, readEnv } from './env.js';

function messageOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('readEnv', () => {
  it('needs nothing: every variable has a default or is optional', () => {
    expect(readEnv({})).toMatchObject({
      PORT: 3000,
      TOLLGATE_DATA_DIR: './data',
      TOLLGATE_RATE_LIMITS: 'on',
      TOLLGATE_TRUSTED_PROXIES: '',
    });
  });

  it('treats an empty variable as absent', () => {
    expect(readEnv({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 3000, DATABASE_URL: undefined });
  });

  it('names every wrong variable at once', () => {
    expect(() => readEnv({ PORT: '70000', DATABASE_URL: 'mysql://x', TOLLGATE_SECRET_KEY: 'short' })).toThrow(
      /PORT.*DATABASE_URL.*TOLLGATE_SECRET_KEY.*\.env\.example/,
    );
  });

  it.each([
    ['PORT', 'abc', 'a whole number from 0 to 65535'],
    ['PORT', '30.5', 'a whole number from 0 to 65535'],
    ['TOLLGATE_SPOOL_LIMIT_MB', '1GB', 'a whole number from 16 to 1048576'],
    ['TOLLGATE_DRAIN_SECONDS', 'NaN', 'a number from 0 to 3600'],
    ['TOLLGATE_DRAIN_SECONDS', ' ', 'a number from 0 to 3600'],
    ['LOG_LEVEL', 'loud', 'one of fatal, error, warn, info, debug, trace, silent'],
    ['KAFKA_CA_FILE', '/nowhere', 'the path of a file that this process can read'],
    ['KAFKA_CA_FILE', '/', 'the path of a file that this process can read'],
    ['CLICKHOUSE_DATABASE', 'a-b', 'letters, digits and _, and no digit first'],
    ['TOLLGATE_SERVICES', 'identity=http://a:70000', 'service=http://host:port|http://host:port,service=…'],
  ])('says of %s=%s what is expected', (name, value, expected) =>
    expect(() => readEnv({ [name]: value })).toThrow(`${name}: "${value}" is not accepted, expected ${expected}.`),
  );

  it.each(['kafka://a:9092', 'a', 'a:', 'a:65536', '', 'a:9092|b:9092'])('refuses the broker "%s"', (broker) =>
    expect(() => readEnv({ KAFKA_BROKERS: `one:9092,${broker}` })).toThrow(
      `KAFKA_BROKERS: "${broker}" is not accepted, expected host:port without a scheme`,
    ),
  );

  it('accepts a named pipe as a file, as a shell passes the output of a command', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pipe-'));
    try {
      const pipe = join(folder, 'ca.pem');
      execFileSync('mkfifo', [pipe]);
      expect(readEnv({ KAFKA_CA_FILE: pipe }).KAFKA_CA_FILE).toBe(pipe);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('shows no value that may contain a secret', () => {
    const names = [
      ...['DATABASE_URL', 'REDIS_URL', 'CLICKHOUSE_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'TOLLGATE_RELEASES_URL'],
      ...['TOLLGATE_SECRET_KEY', 'TOLLGATE_SECRET_KEY_PREVIOUS', 'TOLLGATE_SECRET_KEY_NEXT', 'TOLLGATE_SETUP_TOKEN'],
    ];
    const message = messageOf(() => readEnv(Object.fromEntries(names.map((name) => [name, 'hidden']))));
    for (const name of names) expect(message).toMatch(new RegExp(`${name}: (expected a URL like|needs at least) `));
    expect(message).not.toContain('hidden');
  });

  it("reads the relay's switches in all usual spellings", () => {
    const of = (word: string) => readEnv({ FORCE_STREAM_OPTION: word }).FORCE_STREAM_OPTION;
    expect(['true', '1', 'on', 'false', '0', 'off'].map(of)).toEqual([true, true, true, false, false, false]);
    expect(readEnv({})).toMatchObject({
      ...{ AZURE_DEFAULT_API_VERSION: '2025-04-01-preview', COHERE_SAFETY_SETTING: 'NONE', DIFY_DEBUG: true },
      ...{ FORCE_STREAM_OPTION: true, GEMINI_VISION_MAX_IMAGE_NUM: 16, GET_MEDIA_TOKEN: true },
      ...{ GET_MEDIA_TOKEN_NOT_STREAM: true, MAX_FILE_DOWNLOAD_MB: 20 },
    });
    expect(() => readEnv({ DIFY_DEBUG: 'maybe', COHERE_SAFETY_SETTING: 'zork' })).toThrow(
      /COHERE_SAFETY_SETTING: "ZORK" is not accepted.*DIFY_DEBUG: "maybe" is not accepted, expected true or false/,
    );
  });

  it('accepts the values that YAML makes of a switch', () => {
    expect(readEnv({ OTEL_SDK_DISABLED: 'on', COHERE_SAFETY_SETTING: 'off' })).toMatchObject({
      OTEL_SDK_DISABLED: true,
      COHERE_SAFETY_SETTING: 'OFF',
    });
    expect(readEnv({ OTEL_SDK_DISABLED: 'false' }).OTEL_SDK_DISABLED).toBe(false);
  });

  it.each(['10.0.0.0/33', 'nginx', '10.0.0.0/255.0.255.0', '10.0.0.1:80', '10.0.0.010', '10.0.0.010/32', '10.1'])(
    'refuses the proxy %s',
    (entry) =>
      expect(() => readEnv({ TOLLGATE_TRUSTED_PROXIES: `10.0.0.1, ${entry}` })).toThrow(
        `TOLLGATE_TRUSTED_PROXIES: "${entry}" is not accepted, expected addresses such as 10.0.0.1 (four numbers without leading zeros) and CIDR ranges such as 10.0.0.0/8, separated by commas.`,
      ),
  );

  it.each([
    ...['10.0.0.0/33', '10.0.0.0/255.0.0.0', 'http://models.internal', 'models.internal:8080'],
    ...['10.0.0.010', '10.0.0.010/32', '10.1'],
  ])('refuses outbound calls to %s', (entry) =>
    expect(() => readEnv({ TOLLGATE_OUTBOUND_ALLOW: `localhost,${entry}` })).toThrow(
      `TOLLGATE_OUTBOUND_ALLOW: "${entry}" is not accepted, expected hosts, addresses such as 10.0.0.1 (four numbers without leading zeros) and CIDR ranges such as 10.0.0.0/8, separated by commas.`,
    ),
  );

  it('accepts every spelling of addresses', () => {
    expect(() =>
      readEnv({
        TOLLGATE_TRUSTED_PROXIES: 'loopback, 10.0.0.1,10.0.0.0/8 ,192.168.0.0/255.255.0.0,fd00::/8,::1',
        TOLLGATE_OUTBOUND_ALLOW: 'models.internal, 10.0.0.0/8,10.0.0.1,fd00::1,fd00::/8,localhost',
      }),
    ).not.toThrow();
  });

  it('describes every variable', () => {
    for (const { name, meaning } of envTable) expect([name, meaning.length > 10]).toEqual([name, true]);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readEnv } from '@tollgate/chassis';
import { kafkaSecurity } from './kafka-security.js';

describe('kafkaSecurity', () => {
  it('is nothing unless asked for', () => {
    expect(kafkaSecurity(readEnv({}))).toEqual({});
  });

  it('speaks TLS with the certificates of Node, or with those of a file', () => {
    expect(kafkaSecurity(readEnv({ KAFKA_TLS: 'on' }))).toEqual({ ssl: true });
    const folder = mkdtempSync(join(tmpdir(), 'kafka-security-'));
    const file = join(folder, 'ca.pem');
    writeFileSync(file, 'certificates');
    const env = readEnv({ KAFKA_TLS: 'on', KAFKA_CA_FILE: file });
    expect(kafkaSecurity(env)).toEqual({ ssl: { ca: ['certificates'] } });
    expect(() => kafkaSecurity(readEnv({ KAFKA_CA_FILE: file }))).toThrow('KAFKA_TLS=on');
    rmSync(folder, { recursive: true });
    expect(() => readEnv({ KAFKA_CA_FILE: file })).toThrow('expected the path of a file that this process can read');
  });

  it('signs in with all three or not at all', () => {
    const whole = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' };
    expect(kafkaSecurity(readEnv(whole))).toEqual({
      sasl: { mechanism: 'scram-sha-512', username: 'u', password: 'p' },
    });
    expect(() => kafkaSecurity(readEnv({ ...whole, KAFKA_SASL_PASSWORD: '' }))).toThrow('set together');
    expect(() => readEnv({ KAFKA_SASL_MECHANISM: 'gssapi' })).toThrow('KAFKA_SASL_MECHANISM');
  });
});

import { readFileSync } from 'node:fs';
import type { KafkaConfig, SASLOptions } from 'kafkajs';
import { AppError, type Env } from '@tollgate/chassis';

/** TLS and authentication of a client. */
export type KafkaSecurity = Pick<KafkaConfig, 'ssl' | 'sasl'>;

type SecurityEnv = Pick<
  Env,
  'KAFKA_TLS' | 'KAFKA_CA_FILE' | 'KAFKA_SASL_MECHANISM' | 'KAFKA_SASL_USERNAME' | 'KAFKA_SASL_PASSWORD'
>;

/** Of the environment; half a sign-in or certificates without TLS are refused, because they would be ignored in silence. */
export function kafkaSecurity(env: SecurityEnv): KafkaSecurity {
  if (env.KAFKA_TLS === 'off' && env.KAFKA_CA_FILE !== undefined)
    throw unusable('KAFKA_CA_FILE is of no use without KAFKA_TLS=on.');
  return {
    ...(env.KAFKA_TLS === 'on' && {
      ssl: env.KAFKA_CA_FILE ? { ca: [readFileSync(env.KAFKA_CA_FILE, 'utf8')] } : true,
    }),
    ...(hasSignIn(env) && { sasl: signInOf(env) }),
  };
}

const hasSignIn = (env: SecurityEnv): boolean =>
  [env.KAFKA_SASL_MECHANISM, env.KAFKA_SASL_USERNAME, env.KAFKA_SASL_PASSWORD].some((value) => value !== undefined);

function signInOf(env: SecurityEnv): SASLOptions {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = env;
  if (mechanism === undefined || username === undefined || password === undefined)
    throw unusable('KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD are set together or not at all.');
  return { mechanism, username, password } as SASLOptions;
}

const unusable = (message: string): AppError => new AppError('unavailable', 'environment-not-usable', message);

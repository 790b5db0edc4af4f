import type { Env } from '@tollgate/chassis';

type DemonstrationEnv = Pick<Env, 'TOLLGATE_DEMONSTRATION' | 'REDIS_URL' | 'KAFKA_BROKERS'>;

/**
 * Whether the demonstration provider is available: by default in a single process outside of production, otherwise as
 * the operator sets it.
 */
export function isDemonstrationOn(env: DemonstrationEnv, nodeEnv: string | undefined): boolean {
  const { TOLLGATE_DEMONSTRATION: wanted, REDIS_URL, KAFKA_BROKERS } = env;
  if (wanted !== 'auto') return wanted === 'on';
  return REDIS_URL === undefined && KAFKA_BROKERS === undefined && nodeEnv !== 'production';
}

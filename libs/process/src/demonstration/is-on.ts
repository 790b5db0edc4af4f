import type { Env } from '@tollgate/chassis';

type DemonstrationEnv = Pick<Env, 'TOLLGATE_DEMONSTRATION' | 'REDIS_URL' | 'KAFKA_BROKERS'>;

/** Whether people may try the product without a provider: where somebody runs it alone, unless the operator says otherwise. */
export function isDemonstrationOn(env: DemonstrationEnv, nodeEnv: string | undefined): boolean {
  const { TOLLGATE_DEMONSTRATION: wanted, REDIS_URL, KAFKA_BROKERS } = env;
  if (wanted !== 'auto') return wanted === 'on';
  return REDIS_URL === undefined && KAFKA_BROKERS === undefined && nodeEnv !== 'production';
}

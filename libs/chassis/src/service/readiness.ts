/** The answer to a readiness probe. */
export const readiness = (isReady: boolean): { status: number; body: { status: string } } =>
  isReady ? { status: 200, body: { status: 'ready' } } : { status: 503, body: { status: 'not ready' } };

type Rows = readonly object[];

/** Whether a query waits for a lock that the connection behind `ask` holds. */
export async function isWaitedFor(ask: (sql: string) => Promise<Rows | { rows: Rows }>): Promise<boolean> {
  const answer = await ask('select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))');
  return ('rows' in answer ? answer.rows : answer).length > 0;
}

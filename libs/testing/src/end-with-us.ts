import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Its input ends with whoever holds the other end of it, in whatever way that goes; a line says that nobody is to be ended. */
const WATCH = 'read -r _ || { sleep "$3"; kill -s "$1" "$2"; }';

export interface Ending {
  signal?: NodeJS.Signals;
  /** So long it may go on for others that need it to come to their own end. */
  graceSeconds?: number;
}

/**
 * Has a process end when this one is gone, also by SIGKILL, of which no program hears itself. In a session of its own, so that what reaches our
 * whole group does not reach the watch. The returned function takes the watch away: the process ended, and its pid may be anybody's.
 */
export function endWithUs(pid: number, { signal = 'SIGKILL', graceSeconds = 0 }: Ending = {}): () => void {
  const watch = spawn('sh', ['-c', WATCH, 'sh', signal.slice('SIG'.length), String(pid), String(graceSeconds)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const line = watch.stdin as Socket;
  for (const side of [watch, line]) {
    side.on('error', () => undefined);
    side.unref();
  }
  return () => void line.end('\n');
}

import type { WebSocket } from 'ws';

/** Whoever says nothing for so long although it is asked, or takes nothing of what waits for it, is gone. */
export function keepAlive(socket: WebSocket, silenceMs: number): () => void {
  let wasHeard = true;
  const hear = (): void => void (wasHeard = true);
  socket.on('pong', hear);
  socket.on('message', hear);
  const timer = setInterval(() => {
    // A side that we do not read cannot be heard; the other one, for whom it waits, is asked.
    if (!wasHeard && !socket.isPaused) return socket.terminate();
    wasHeard = socket.isPaused;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, silenceMs / 2);
  timer.unref();
  return () => {
    clearInterval(timer);
    socket.off('pong', hear);
    socket.off('message', hear);
  };
}

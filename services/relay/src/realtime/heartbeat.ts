import type { WebSocket } from 'ws';

/**
 * Terminates a peer that sends nothing for `silenceMs` although it was pinged, which includes a peer that does not
 * read. Returns a function that stops the heartbeat.
 */
export function keepAlive(socket: WebSocket, silenceMs: number): () => void {
  let wasHeard = true;
  const hear = (): void => void (wasHeard = true);
  socket.on('pong', hear);
  socket.on('message', hear);
  const timer = setInterval(() => {
    // While reading is paused, a pong cannot arrive, so silence proves nothing.
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

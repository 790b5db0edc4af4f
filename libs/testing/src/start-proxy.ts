import { createServer as createHttpServer, request, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** An outbound proxy, of HTTP or SOCKS, that records the requested targets. */
export interface TestProxy {
  url: string;
  /** `host:port` of every connection or request, in order. */
  targets: string[];
  close(): Promise<void>;
}

async function opened(server: HttpServer | Server, scheme: string, targets: string[]): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts an HTTP proxy: it forwards requests with an absolute URL, and tunnels CONNECT. */
export function startHttpProxy(): Promise<TestProxy> {
  const targets: string[] = [];
  const server = createHttpServer((asked, reply) => {
    const url = new URL(asked.url ?? '');
    targets.push(url.host);
    const onward = request(url, { method: asked.method, headers: asked.headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    onward.on('error', () => reply.destroy());
    reply.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
  server.on('connect', (asked, client: Socket) => {
    targets.push(asked.url ?? '');
    const [host, port] = (asked.url ?? '').split(':');
    tunnel(client, host, Number(port), 'HTTP/1.1 200 Connection established\r\n\r\n');
  });
  return opened(server, 'http', targets);
}

/** Starts an HTTP proxy that accepts connections and never answers. */
export function startSilentProxy(): Promise<TestProxy> {
  const targets: string[] = [];
  const server = createHttpServer(({ url = '' }) => void targets.push(new URL(url).host));
  server.on('connect', ({ url = '' }, client: Socket) => {
    client.on('error', () => client.destroy());
    targets.push(url);
  });
  return opened(server, 'http', targets);
}

/** Starts a SOCKS 5 proxy without authentication, for host names and IPv4 addresses. */
export function startSocksProxy(): Promise<TestProxy> {
  const targets: string[] = [];
  const server = createTcpServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (asked) => {
        const isName = asked[3] === 3;
        const end = isName ? 5 + (asked[4] ?? 0) : 8;
        const host = isName ? asked.toString('latin1', 5, end) : [...asked.subarray(4, 8)].join('.');
        const port = asked.readUInt16BE(end);
        targets.push(`${host}:${port}`);
        tunnel(client, host, port, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      });
    });
  });
  return opened(server, 'socks5', targets);
}

function tunnel(client: Socket, host: string | undefined, port: number, greeting: string | Buffer): void {
  const onward = connect(port, host, () => {
    client.write(greeting);
    client.pipe(onward).pipe(client);
  });
  onward.on('error', () => client.destroy());
  client.on('error', () => onward.destroy());
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scenario } from './scenarios.js';
import { Stage } from './stage.js';
import type { WitnessEntry } from './witness.js';

/** An endpoint for one channel, with its own scenario and its own record of requests. */
export interface HostileEndpoint {
  url: string;
  /** Sets the scenario for requests from now on. */
  play(scenario: Scenario): void;
  /** Requests it received, oldest first. */
  seen(): WitnessEntry[];
  forget(): void;
}

export interface HostileUpstream {
  port: number;
  endpoint(scenario: Scenario): HostileEndpoint;
  close(): Promise<void>;
}

/** Maximum number of requests that an endpoint records. */
const REMEMBERED = 5_000;

class Endpoint implements HostileEndpoint {
  private entries: WitnessEntry[] = [];

  constructor(
    readonly url: string,
    private scenario: Scenario,
  ) {}

  play(scenario: Scenario): void {
    this.scenario = scenario;
  }

  seen(): WitnessEntry[] {
    return [...this.entries];
  }

  forget(): void {
    this.entries = [];
  }

  async serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { scenario } = this;
    const departure = new AbortController();
    const entry: WitnessEntry = {
      method: request.method ?? '',
      path,
      headers: request.headers,
      body: Buffer.alloc(0),
      startedAt: performance.now(),
      bytesSent: 0,
      lastWriteAt: 0,
      isFinished: false,
      abortedAt: undefined,
    };
    this.entries.push(entry);
    if (this.entries.length > REMEMBERED) this.entries.shift();
    response.once('close', () => {
      entry.isFinished = response.writableFinished;
      if (!entry.isFinished) entry.abortedAt = performance.now();
      departure.abort();
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    entry.body = Buffer.concat(chunks);
    await scenario(new Stage(request, response, entry, departure.signal));
  }
}

const listen = (server: Server): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });

/**
 * A malicious upstream. Each channel under attack gets its own endpoint, so that attacks can run in parallel; a
 * scenario is a function that handles one request of an endpoint.
 */
export async function startHostileUpstream(): Promise<HostileUpstream> {
  const endpoints = new Map<string, Endpoint>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const [, name = '', path = '/'] = /^\/([^/]*)(.*)$/.exec(request.url ?? '/') ?? [];
    const endpoint = endpoints.get(name);
    if (!endpoint) return void response.writeHead(404).end();
    // A client that disconnects aborts its own scenario.
    endpoint.serve(request, response, path).catch(() => response.destroy());
  });
  // Malformed requests are not the subject here, so their connections are just closed.
  server.on('clientError', (_error, socket) => socket.destroy());
  const { port } = await listen(server);
  return {
    port,
    endpoint(scenario) {
      const name = `endpoint-${endpoints.size + 1}`;
      const endpoint = new Endpoint(`http://127.0.0.1:${port}/${name}`, scenario);
      endpoints.set(name, endpoint);
      return endpoint;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import { allServices } from '@tollgate/all-in-one';
import {
  type Person,
  type RealtimeUpstream,
  type TestBed,
  startRealtimeUpstream,
  startTestBed,
} from '@tollgate/testing';
import { RealtimeClient } from '../support/realtime-client.js';

export const MODEL = 'gpt-4o-realtime-preview';

interface Opening {
  key?: string;
  model?: string;
  protocols?: string[];
  query?: string;
  path?: string;
}

/** An installation with channels of two upstreams for realtime sessions, and a user with a key. */
export class RealtimeWorld {
  upstream!: RealtimeUpstream;
  second!: RealtimeUpstream;
  testBed!: TestBed;
  person!: Person;
  key!: string;
  channel!: number;
  private readonly clients: RealtimeClient[] = [];

  async start(): Promise<void> {
    this.upstream = await startRealtimeUpstream();
    this.second = await startRealtimeUpstream();
    this.testBed = await startTestBed(allServices, { TOLLGATE_REALTIME_SESSIONS_PER_USER: '3' });
    const { testBed, upstream, second } = this;
    this.channel = await testBed.channel({
      models: `${MODEL},gpt-4o`,
      base_url: upstream.url,
      key: 'sk-upstream',
      priority: 5,
    });
    await testBed.channel({ name: 'second', models: MODEL, base_url: second.url });
    await testBed.channel({
      name: 'azure',
      type: 3,
      models: 'gpt-4o-mini-realtime-preview',
      base_url: upstream.url,
      key: 'k',
    });
    await testBed.channel({ name: 'claude', type: 14, models: 'claude-2.1', base_url: upstream.url });
    await testBed.root.data('PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
    this.person = await testBed.user('speaker', 100_000_000);
    this.key = await testBed.token(this.person);
  }

  async close(): Promise<void> {
    await this.testBed?.close();
    await this.upstream?.close();
    await this.second?.close();
  }

  reset(): void {
    this.upstream.calls.length = 0;
    this.second.calls.length = 0;
    this.upstream.behave({});
  }

  open(options: Opening = {}): RealtimeClient {
    const client = RealtimeClient.open(this.testBed.url, options.key ?? this.key, options.model ?? MODEL, options);
    this.clients.push(client);
    return client;
  }

  /** Ends the sessions that a test left open. */
  async endSessions(): Promise<void> {
    for (const client of this.clients.splice(0)) {
      client.socket.terminate();
      await client.until(() => client.closed !== undefined || client.refusal !== undefined, 'the end');
    }
  }
}

import { request } from 'node:http';
import { allServices } from '@tollgate/all-in-one';
import { type TestBed, startTestBed, startTaskUpstream, TASK_KEY, type TaskUpstream } from '@tollgate/testing';

interface Submitted {
  code: number;
  description: string;
  result: string;
  type?: string;
}

/** An installation with a channel for drawings and one for songs, and two users with a key each. */
export class TaskWorld {
  upstream!: TaskUpstream;
  testBed!: TestBed;
  key!: string;
  user!: number;
  drawer!: number;
  otherKey!: string;

  async open(): Promise<void> {
    this.upstream = await startTaskUpstream();
    this.testBed = await startTestBed(allServices);
    const { testBed, upstream } = this;
    const models = 'mj_imagine,mj_upscale,mj_inpaint,mj_reroll,mj_upload,mj_modal,mj_shorten,swap_face';
    this.drawer = await testBed.channel({ name: 'mj', type: 2, key: TASK_KEY, base_url: upstream.url, models });
    const songs = {
      name: 'suno',
      type: 36,
      key: TASK_KEY,
      base_url: `${upstream.url}/suno`,
      models: 'suno_music,suno_lyrics',
    };
    await testBed.channel(songs);
    const caller = await testBed.user('drawer', 1_000_000);
    this.user = caller.id;
    this.key = await testBed.token(caller);
    this.otherKey = await testBed.token(await testBed.user('another', 1_000_000));
  }

  async close(): Promise<void> {
    await this.testBed?.close();
    await this.upstream?.close();
  }

  /** Undoes what a test made the upstream answer, and forgets its calls. */
  reset(): void {
    this.upstream.calls.length = 0;
    this.upstream.answer = undefined;
  }

  async call<T = Submitted>(
    path: string,
    body?: unknown,
    headers: Record<string, string> = { 'mj-api-secret': this.key },
  ) {
    const response = await fetch(`${this.testBed.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const id = response.headers.get('x-oneapi-request-id') ?? '';
    return { status: response.status, id, json: (await response.json()) as T };
  }

  /** Posts to a request target as it is, which `fetch` would change. Resolves to the status. */
  post(target: string, body: unknown): Promise<number> {
    const { hostname, port } = new URL(this.testBed.url);
    const headers = { 'mj-api-secret': this.key, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path: target, method: 'POST', headers }, (reply) => {
        reply.resume();
        resolve(reply.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }

  /** The calls to the upstream without polls, since tasks of other tests are polled at any time. */
  submissions() {
    return this.upstream.calls.filter(({ path }) => !/list-by-condition|\/suno\/fetch/.test(path));
  }

  async imagine(): Promise<{ id: string; task: string }> {
    const { id, json } = await this.call('/mj/submit/imagine', { prompt: 'a cat' });
    return { id, task: json.result };
  }

  option(name: string, value: string): Promise<unknown> {
    return this.testBed.root.data('PUT', '/api/option/', { key: name, value });
  }
}

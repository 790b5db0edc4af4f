import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const TASK_KEY = 'sk-task-stand-in';

/** A received call. */
interface TaskCall {
  method: string;
  path: string;
  body: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
}

type Item = Record<string, unknown>;

export interface TaskUpstream {
  url: string;
  calls: TaskCall[];
  /** Tasks by id; tests change them as an upstream would. */
  drawings: Map<string, Item>;
  songs: Map<string, Item>;
  /** Reply to later submissions, in the proxy's format, with an optional HTTP status. */
  answer?: { status?: number; body: object } | undefined;
  /** Leaves every call unanswered until the client gives up. */
  isSilent: boolean;
  close(): Promise<void>;
}

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const json = (response: ServerResponse, body: object, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

async function bodyOf(request: IncomingMessage): Promise<Item> {
  const sent = await text(request);
  return sent === '' ? {} : (JSON.parse(sent) as Item);
}

/** Starts a stand-in for a Midjourney proxy and a Suno proxy: submissions, lists, single tasks, and a picture. */
export async function startTaskUpstream(port = 0): Promise<TaskUpstream> {
  const server = createServer((request, response) => void handle(request, response));
  let submitted = 0;

  const upstream: TaskUpstream = {
    url: '',
    calls: [],
    drawings: new Map(),
    songs: new Map(),
    isSilent: false,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (path.startsWith('/pictures/'))
      return void response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
    const body = await bodyOf(request);
    upstream.calls.push({ method: request.method ?? '', path, body, headers: request.headers });
    if (upstream.isSilent) return;
    if (path.includes('/suno/')) return suno(request, response, body);
    return midjourney(request, response, body);
  }

  function midjourney(request: IncomingMessage, response: ServerResponse, body: Item): void {
    const path = request.url ?? '';
    if (request.headers['mj-api-secret'] !== TASK_KEY)
      return json(response, { code: 4, description: 'mj-api-secret is wrong' }, 401);
    if (path.endsWith('/task/list-by-condition')) {
      const ids = (body.ids as string[] | undefined) ?? [];
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(ids.flatMap((id) => upstream.drawings.get(id) ?? [])));
    }
    const seed = /\/task\/([^/]+)\/image-seed$/.exec(path);
    if (upstream.answer) return json(response, upstream.answer.body, upstream.answer.status);
    if (seed) return json(response, { code: 1, description: 'success', result: '1903422042' });
    submitted += 1;
    const id = `mj-${submitted}`;
    const prompt = typeof body.prompt === 'string' ? body.prompt : '';
    upstream.drawings.set(id, { id, status: 'SUBMITTED', progress: '0%', prompt, submitTime: 1_700_000_000_000 });
    if (path.includes('/upload-discord-images'))
      return json(response, { code: 1, description: 'success', result: [`https://cdn.example.com/${id}.png`] });
    return json(response, { code: 1, description: '提交成功', result: id, properties: {} });
  }

  function suno(request: IncomingMessage, response: ServerResponse, body: Item): void {
    const path = request.url ?? '';
    if (request.headers.authorization !== `Bearer ${TASK_KEY}`)
      return json(response, { code: 'unauthorized', message: 'key is wrong', data: null }, 401);
    if (path.endsWith('/suno/fetch')) {
      const ids = (body.ids as string[] | undefined) ?? [];
      const data = ids.flatMap((id) => upstream.songs.get(id) ?? []);
      return json(response, { code: 'success', message: '', data });
    }
    if (upstream.answer) return json(response, upstream.answer.body, upstream.answer.status);
    submitted += 1;
    const id = `suno-${submitted}`;
    const action = path.split('/').at(-1) ?? '';
    upstream.songs.set(id, { task_id: id, action, status: 'SUBMITTED', progress: '0%', submit_time: 1_700_000_000 });
    return json(response, { code: 'success', message: '', data: id });
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return upstream;
}

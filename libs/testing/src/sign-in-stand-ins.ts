import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SignInStandIns {
  url: string;
  /** Authorisation code → account, in the format of GitHub's `/user`. A code works once. */
  github: Map<string, { id: number; login: string; name?: string; emails?: object[] }>;
  linuxdo: Map<string, { id: number; username: string; name?: string }>;
  /** Code that the WeChat account sent → WeChat id. */
  wechat: Map<string, string>;
  /** Tokens that Turnstile's siteverify accepts, once each. */
  turnstile: Set<string>;
  /** Paths whose calls get no reply. */
  silent: Set<string>;
  close(): Promise<void>;
}

export const SIGN_IN_CLIENT = { id: 'client', secret: 'client secret' };

interface Call {
  path: string;
  query: URLSearchParams;
  body: string;
  authorization: string;
}
type Answer = [status: number, body: object];

const basic = `Basic ${Buffer.from(`${SIGN_IN_CLIENT.id}:${SIGN_IN_CLIENT.secret}`).toString('base64')}`;

/** Starts stand-ins for the parts of GitHub, LinuxDO, a WeChat bridge and Turnstile that our server calls. */
export async function startSignInStandIns(): Promise<SignInStandIns> {
  const github: SignInStandIns['github'] = new Map();
  const linuxdo: SignInStandIns['linuxdo'] = new Map();
  const wechat: SignInStandIns['wechat'] = new Map();
  const turnstile = new Set<string>();
  const silent = new Set<string>();
  const tokens = new Map<string, { id: number; emails?: object[] }>();

  const issue = (code: string | null, people: Map<string, { id: number }>): Answer => {
    const person = people.get(code ?? '');
    if (!person) return [200, { error: 'bad_verification_code', message: 'bad code' }];
    people.delete(code ?? '');
    const token = `token-${tokens.size}`;
    tokens.set(token, person);
    return [200, { access_token: token, token_type: 'bearer' }];
  };
  const bearer = ({ authorization }: Call) => tokens.get(authorization.replace('Bearer ', ''));
  const refused: Answer = [401, { message: 'Bad credentials' }];

  const routes: Record<string, (call: Call) => Answer> = {
    '/login/oauth/access_token': ({ body }) => {
      const form = JSON.parse(body) as Record<string, string>;
      const isClient = form.client_id === SIGN_IN_CLIENT.id && form.client_secret === SIGN_IN_CLIENT.secret;
      return isClient ? issue(form.code ?? null, github) : [200, { error: 'incorrect_client_credentials' }];
    },
    '/user': (call) => {
      const { emails: _, ...user } = bearer(call) ?? {};
      return bearer(call) ? [200, user] : refused;
    },
    '/user/emails': (call) => (bearer(call) ? [200, bearer(call)?.emails ?? []] : refused),
    '/oauth2/token': ({ authorization, body }) => {
      const form = new URLSearchParams(body);
      const isRight = authorization === basic && form.get('grant_type') === 'authorization_code';
      return isRight ? issue(form.get('code'), linuxdo) : refused;
    },
    '/api/user': (call) => (bearer(call) ? [200, bearer(call) ?? {}] : refused),
    '/api/wechat/user': ({ query, authorization }) => {
      if (authorization !== SIGN_IN_CLIENT.secret) return [200, { success: false, message: 'no permission' }];
      return [200, { success: true, message: '', data: wechat.get(query.get('code') ?? '') ?? '' }];
    },
    '/turnstile/v0/siteverify': ({ body }) => {
      const form = new URLSearchParams(body);
      const response = form.get('response') ?? '';
      return [200, { success: form.get('secret') === SIGN_IN_CLIENT.secret && turnstile.delete(response) }];
    },
  };

  const server = createServer((request, response) => {
    void read(request).then((call) => {
      if (silent.has(call.path)) return void request.socket.destroy();
      const [status, body] = routes[call.path]?.(call) ?? [404, {}];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    github,
    linuxdo,
    wechat,
    turnstile,
    silent,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function read(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in');
  const body = Buffer.concat(chunks).toString('utf8');
  return { path: pathname, query: searchParams, body, authorization: request.headers.authorization ?? '' };
}

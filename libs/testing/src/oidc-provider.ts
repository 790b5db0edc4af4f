import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** A person with an account at the provider. */
interface OidcPerson {
  sub: string;
  email: string;
  email_verified: boolean;
  name?: string;
  preferred_username?: string;
}

export interface OidcStandIn {
  issuer: string;
  wellKnown: string;
  clientId: string;
  clientSecret: string;
  /** The person who signs in next; the provider asks for neither password nor consent. */
  person: OidcPerson;
  /** Follows an authorisation URL like a browser and resolves to the callback URL with its parameters. */
  follow(authorize: string): Promise<URL>;
  close(): Promise<void>;
}

interface OidcOptions {
  /** Allowed callback URLs. */
  redirectUris: string[];
}

const MAX_STEPS = 12;

/** A certified OpenID Connect provider that grants every request immediately. */
export async function startOidcProvider({ redirectUris }: OidcOptions): Promise<OidcStandIn> {
  const [clientId, clientSecret] = ['tollgate', 'a secret of the provider'];
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const state = { person: { sub: 'ann', email: 'ann@provider.example', email_verified: true } as OidcPerson };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a key of the tests'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...state.person, sub: id }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => false },
  });
  const callback = provider.callback();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/interaction/')) await agree(request, response);
    else await callback(request, response);
  }

  async function agree(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      const result = { login: { accountId: state.person.sub, remember: false } };
      return provider.interactionFinished(request, response, result);
    }
    const grant = new provider.Grant({ accountId: session?.accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope('openid profile email');
    const result = { consent: { grantId: await grant.save() } };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  }

  return Object.assign(state, {
    issuer,
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    follow: (authorize: string) => follow(authorize, issuer),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

async function follow(authorize: string, issuer: string): Promise<URL> {
  const jar = new Map<string, string>();
  let next = new URL(authorize);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (next.origin !== issuer) return next;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const line of reply.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = reply.headers.get('location');
    if (location === null) throw new Error(`the provider answered ${reply.status}: ${await reply.text()}`);
    next = new URL(location, next);
  }
  throw new Error('the provider leads in circles');
}

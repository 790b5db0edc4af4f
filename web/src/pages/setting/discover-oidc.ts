export interface Discovery {
  authorization_endpoint?: string;
  token_endpoint?: string;
  userinfo_endpoint?: string;
}

const WAIT_MS = 10_000;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** A provider's discovery document; undefined when it cannot be read. */
export async function discoverOidc(address: string): Promise<Discovery | undefined> {
  try {
    const reply = await fetch(address, { credentials: 'omit', signal: AbortSignal.timeout(WAIT_MS) });
    const found = (await reply.json()) as Record<string, unknown> | null;
    if (!reply.ok || !isText(found?.authorization_endpoint)) return undefined;
    const { authorization_endpoint, token_endpoint, userinfo_endpoint } = found;
    return {
      authorization_endpoint,
      token_endpoint: isText(token_endpoint) ? token_endpoint : undefined,
      userinfo_endpoint: isText(userinfo_endpoint) ? userinfo_endpoint : undefined,
    };
  } catch {
    return undefined;
  }
}

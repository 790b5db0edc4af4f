import { Injectable } from '@nestjs/common';
import { AppError, OutboundClient, type OutboundReply } from '@tollgate/chassis';
import { type OidcDiscovery, oidcDiscoverySchema } from '@tollgate/contracts/api/option';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/**
 * Reads a provider's discovery document for the settings page. A browser may not fetch it (CORS), and the server does
 * so under the outbound policy.
 */
@Injectable()
export class OidcDiscoveries {
  constructor(private readonly outbound: OutboundClient) {}

  /**
   * Throws the policy's error for an address that it forbids, and an error of our own for a reply that is no discovery
   * document.
   */
  async read(url: string): Promise<OidcDiscovery> {
    const headers = { accept: 'application/json' };
    const reply = await this.outbound.send({ kind: 'admin', url, headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    const found = parse(reply);
    if (found) return found;
    throw new AppError(
      'invalid',
      'oidc-discovery-failed',
      '获取 OIDC 配置失败，请检查网络状况和 Well-Known URL 是否正确',
    );
  }
}

function parse({ status, body }: OutboundReply): OidcDiscovery | undefined {
  if (status !== 200) return undefined;
  try {
    return oidcDiscoverySchema.safeParse(JSON.parse(body.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

import { Injectable } from '@nestjs/common';
import { AppError, OutboundClient, type OutboundReply } from '@tollgate/chassis';
import { type OidcDiscovery, oidcDiscoverySchema } from '@tollgate/contracts/api/option';
import { parseReply } from '../parse-reply.js';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/**
 * Reads a provider's discovery document for the settings page. A browser may not fetch it (CORS), and the server does
 * so under the outbound policy.
 */
@Injectable()
export class OidcDiscoveries {
  constructor(private readonly outbound: OutboundClient) {}

  /** Throws the policy's error for an address that it forbids, and the documented one for everything else. */
  async read(url: string): Promise<OidcDiscovery> {
    const { status, body } = await this.fetch(url);
    const found = status === 200 ? parseReply(oidcDiscoverySchema, body) : undefined;
    if (!found) throw discoveryFailed();
    return found;
  }

  private async fetch(url: string): Promise<OutboundReply> {
    const headers = { accept: 'application/json' };
    try {
      return await this.outbound.send({ kind: 'admin', url, headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    } catch (error) {
      if (error instanceof AppError && error.kind === 'upstream') throw discoveryFailed(error);
      throw error;
    }
  }
}

const discoveryFailed = (cause?: AppError): AppError =>
  new AppError('invalid', 'oidc-discovery-failed', '获取 OIDC 配置失败，请检查网络状况和 Well-Known URL 是否正确', {
    cause,
  });

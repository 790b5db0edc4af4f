import { Injectable } from '@nestjs/common';
import { AppError, Host, OutboundClient, productVersion } from '@tollgate/chassis';
import { type Release, releaseSchema } from '@tollgate/contracts/api/status';
import { z } from 'zod';
import { parseReply } from '../parse-reply.js';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

const entry = z.object({
  tag_name: z.string().min(1).max(100),
  body: z.string().max(100_000).nullish(),
  html_url: z.url({ protocol: /^https?$/ }).nullish(),
});
/** Either the newest release, or a list that begins with it. */
const listing = z.union([entry, z.tuple([entry], z.unknown()).transform(([newest]) => newest)]);

/** `v1.12.0-rc.1` → 1, 12, 0; `undefined` for a tag that is no version. */
function numbersOf(tag: string): number[] | undefined {
  const numbers = /^v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?/.exec(tag);
  return numbers?.slice(1).map((part) => Number(part ?? 0));
}

/** Whether `tag` is a later version. A tag that is no version number counts as later unless it equals `version`. */
export function isNewer(tag: string, version: string): boolean {
  const [released, running] = [numbersOf(tag), numbersOf(version)];
  if (!released || !running) return tag.replace(/^v/, '') !== version;
  const difference = released.map((part, place) => part - (running[place] ?? 0)).find((part) => part !== 0);
  return (difference ?? 0) > 0;
}

/**
 * Fetches the newest release from the address that the installation configures. Called only on request of a user, and
 * under the outbound policy.
 */
@Injectable()
export class Releases {
  constructor(
    private readonly host: Host,
    private readonly outbound: OutboundClient,
  ) {}

  async newest(): Promise<Release> {
    const url = this.host.env.TOLLGATE_RELEASES_URL;
    if (url === undefined)
      throw new AppError('invalid', 'releases-unset', '未配置版本发布地址，请在部署环境中设置 TOLLGATE_RELEASES_URL');
    const headers = { accept: 'application/json', 'user-agent': `tollgate/${productVersion}` };
    const reply = await this.outbound.send({ kind: 'admin', url, headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    const found = reply.status === 200 ? parseReply(listing, reply.body) : undefined;
    if (!found) throw new AppError('unavailable', 'releases-unreadable', '检查更新失败，请稍后再试', { status: 200 });
    const { tag_name: tag, body, html_url: link } = found;
    const notes = { notes: body ?? '', url: link ?? '' };
    return releaseSchema.parse({ version: productVersion, tag, newer: isNewer(tag, productVersion), ...notes });
  }
}

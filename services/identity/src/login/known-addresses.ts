import { Injectable } from '@nestjs/common';
import { KeyValue, SecretBox } from '@tollgate/chassis';
import ipaddr from 'ipaddr.js';

const DAYS_SECONDS = 90 * 24 * 60 * 60;

/** An IPv6 connection has a whole /64 and can change its address freely, so the /64 is used in place of the address. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}

/** Networks from which a user has signed in before, stored as keyed hashes. */
@Injectable()
export class KnownAddresses {
  constructor(
    private readonly keyValue: KeyValue,
    private readonly secrets: SecretBox,
  ) {}

  async has(userId: number, address: string): Promise<boolean> {
    for (const key of this.keysOf(userId, address)) if ((await this.keyValue.get(key)) !== undefined) return true;
    return false;
  }

  async add(userId: number, address: string): Promise<void> {
    const [key = ''] = this.keysOf(userId, address);
    await this.keyValue.set(key, '1', DAYS_SECONDS);
  }

  private keysOf(userId: number, address: string): string[] {
    const hashes = this.secrets.hmacs('known-address', `${userId}\n${networkOf(address)}`);
    return hashes.map((hash) => `known-address:${hash}`);
  }
}

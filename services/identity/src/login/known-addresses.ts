import { Injectable } from '@nestjs/common';
import { KeyValue, networkOf, SecretBox } from '@tollgate/chassis';

const DAYS_SECONDS = 90 * 24 * 60 * 60;

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

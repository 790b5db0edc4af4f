import { Injectable } from '@nestjs/common';
import { Host, OptionStore } from '@tollgate/chassis';

/** What passkeys of an address are bound to. */
export const partyHost = (address: string): string => new URL(address).hostname;

/** Who we are to authenticators: the address that the operator configured, never what a request says of it. */
@Injectable()
export class RelyingParty {
  constructor(
    private readonly options: OptionStore,
    private readonly host: Host,
  ) {}

  get name(): string {
    return this.options.get('SystemName');
  }

  /** A passkey belongs to one host. */
  get id(): string {
    return partyHost(this.address);
  }

  get origin(): string {
    return new URL(this.address).origin;
  }

  private get address(): string {
    return this.options.text('ServerAddress') === '' ? this.host.address : this.options.get('ServerAddress');
  }
}

import { Injectable } from '@nestjs/common';
import { Host, OptionStore, ownAddress } from '@tollgate/chassis';

/** The host that passkeys created at this address are bound to. */
export const partyHost = (address: string): string => new URL(address).hostname;

/**
 * How this installation presents itself to authenticators: by the address that the operator configured, never by one
 * taken from a request.
 */
@Injectable()
export class RelyingParty {
  constructor(
    private readonly options: OptionStore,
    private readonly host: Host,
  ) {}

  get name(): string {
    return this.options.get('SystemName');
  }

  /** The host, since a passkey is bound to a host. */
  get id(): string {
    return partyHost(this.address);
  }

  get origin(): string {
    return new URL(this.address).origin;
  }

  private get address(): string {
    return ownAddress(this.options, this.host);
  }
}

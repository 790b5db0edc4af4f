import { Body, Controller, Param, Req } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import {
  createPasskeySchema,
  disableTotpSchema,
  enableTotpSchema,
  type FactorStatus,
  type Passkey,
  passkeyParamSchema,
  type Proof,
  proofSchema,
  type RecoveryCodes,
  renamePasskeySchema,
  type TotpSetup,
} from '@tollgate/contracts/api/second-factor';
import {
  type Caller,
  CurrentCaller,
  type IdParam,
  idParamSchema,
  type PlatformRequest,
  Route,
} from '@tollgate/chassis';
import type { z } from 'zod';
import { FactorRemoval } from './factor-removal.js';
import { PasskeyEnrolment } from './passkey-enrolment.js';
import { OwnerCheck } from './owner-check.js';
import { TotpEnrolment } from './totp-enrolment.js';

/** Second factors of the caller's own account. */
@Controller()
export class EnrolmentController {
  constructor(
    private readonly owner: OwnerCheck,
    private readonly totp: TotpEnrolment,
    private readonly passkeys: PasskeyEnrolment,
    private readonly removal: FactorRemoval,
  ) {}

  @Route(routes.getFactors)
  status(@CurrentCaller() { userId }: Caller): Promise<FactorStatus> {
    return this.totp.status(userId);
  }

  @Route(routes.setUpTotp)
  async setUp(
    @Body({ schema: proofSchema }) given: Proof,
    @CurrentCaller() { userId }: Caller,
    @Req() request: PlatformRequest,
  ): Promise<TotpSetup> {
    await this.owner.again(userId, request, given);
    return this.totp.begin(userId);
  }

  @Route(routes.enableTotp)
  async enable(
    @Body({ schema: enableTotpSchema }) { code }: z.output<typeof enableTotpSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<RecoveryCodes> {
    return { recovery_codes: await this.totp.confirm(caller, code) };
  }

  @Route(routes.disableTotp)
  async disable(
    @Body({ schema: disableTotpSchema }) { password, code }: z.output<typeof disableTotpSchema>,
    @CurrentCaller() { userId }: Caller,
  ): Promise<void> {
    await this.owner.byPassword(userId, password);
    await this.totp.end(userId, code);
  }

  @Route(routes.renewRecoveryCodes)
  async renew(
    @Body({ schema: proofSchema }) given: Proof,
    @CurrentCaller() caller: Caller,
    @Req() request: PlatformRequest,
  ): Promise<RecoveryCodes> {
    await this.owner.again(caller.userId, request, given);
    return { recovery_codes: await this.totp.renewRecoveryCodes(caller) };
  }

  @Route(routes.listPasskeys)
  list(@CurrentCaller() { userId }: Caller): Promise<Passkey[]> {
    return this.passkeys.list(userId);
  }

  @Route(routes.beginPasskey)
  async begin(
    @Body({ schema: proofSchema }) given: Proof,
    @CurrentCaller() { userId }: Caller,
    @Req() request: PlatformRequest,
  ): Promise<object> {
    await this.owner.again(userId, request, given);
    return this.passkeys.begin(userId, request);
  }

  @Route(routes.createPasskey)
  async create(
    @Body({ schema: createPasskeySchema }) body: z.output<typeof createPasskeySchema>,
    @CurrentCaller() caller: Caller,
    @Req() request: PlatformRequest,
  ): Promise<RecoveryCodes> {
    return { recovery_codes: await this.passkeys.finish(caller, body, request) };
  }

  @Route(routes.renamePasskey)
  rename(
    @Param({ schema: passkeyParamSchema }) { id }: z.output<typeof passkeyParamSchema>,
    @Body({ schema: renamePasskeySchema }) { name }: z.output<typeof renamePasskeySchema>,
    @CurrentCaller() { userId }: Caller,
  ): Promise<void> {
    return this.passkeys.rename(userId, id, name);
  }

  @Route(routes.deletePasskey)
  async delete(
    @Param({ schema: passkeyParamSchema }) { id }: z.output<typeof passkeyParamSchema>,
    @Body({ schema: proofSchema }) given: Proof,
    @CurrentCaller() { userId }: Caller,
    @Req() request: PlatformRequest,
  ): Promise<void> {
    await this.owner.again(userId, request, given);
    await this.passkeys.delete(userId, id);
  }

  @Route(routes.removeFactors)
  remove(@Param({ schema: idParamSchema }) { id }: IdParam, @CurrentCaller() caller: Caller): Promise<void> {
    return this.removal.remove(id, caller);
  }
}

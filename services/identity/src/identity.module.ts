import { Module } from '@nestjs/common';
import { AttemptLimit } from './credential/attempt-limit.js';
import { Deliveries } from './delivery/deliveries.js';
import { DeliveryController } from './delivery/delivery.controller.js';
import { DeliveryMetrics } from './delivery/delivery-metrics.js';
import { DeliveryPump } from './delivery/delivery-pump.js';
import { DeliveryQueries } from './delivery/delivery.queries.js';
import { Webhooks } from './delivery/webhook.js';
import { EnrolmentController } from './enrolment/enrolment.controller.js';
import { FactorRemoval } from './enrolment/factor-removal.js';
import { PasskeyEnrolment } from './enrolment/passkey-enrolment.js';
import { OwnerCheck } from './enrolment/owner-check.js';
import { TotpEnrolment } from './enrolment/totp-enrolment.js';
import { Factors } from './factor/factors.js';
import { Passkeys } from './factor/passkeys.js';
import { RecoveryCodes } from './factor/recovery-codes.js';
import { RelyingParty } from './factor/relying-party.js';
import { Entry } from './login/entry.js';
import { HashKeys } from './hash-key/hash-keys.js';
import { KnownAddresses } from './login/known-addresses.js';
import { LoginController } from './login/login.controller.js';
import { LoginService } from './login/login.service.js';
import { PasswordStrategy } from './login/password.strategy.js';
import { RegistrationService } from './login/registration.service.js';
import { SecondStepController } from './login/second-step.controller.js';
import { SessionListService } from './login/session-list.service.js';
import { SessionsController } from './login/sessions.controller.js';
import { SignIns } from './login/sign-ins.js';
import { SessionService } from './login/session.service.js';
import { MailTestService } from './mail/mail-test.service.js';
import { Mailer } from './mail/mailer.js';
import { NoticeConsumer } from './notice/notice.consumer.js';
import { NoticeLimit } from './notice/notice-limit.js';
import { Notices } from './notice/notices.js';
import { OauthController } from './oauth/oauth.controller.js';
import { OauthService } from './oauth/oauth.service.js';
import { OauthVisits } from './oauth/oauth-visits.js';
import { ProviderAccounts } from './oauth/provider-accounts.js';
import { ProviderCalls } from './oauth/provider-calls.js';
import { ProviderAddresses } from './oauth/providers/addresses.js';
import { GitHub } from './oauth/providers/github.js';
import { LinuxDo } from './oauth/providers/linuxdo.js';
import { Oidc } from './oauth/providers/oidc.js';
import { WeChat } from './oauth/providers/wechat.js';
import { Unbinding } from './oauth/unbinding.js';
import { OidcDiscoveries } from './option/oidc-discovery.js';
import { OptionController } from './option/option.controller.js';
import { OptionService } from './option/option.service.js';
import { TrustedSettings } from './option/trusted-settings.js';
import { OptionsInternalController } from './option/options.internal.controller.js';
import { RevisionBroadcast } from './revision/revision-broadcast.js';
import { ErasureService } from './person/erasure.service.js';
import { PersonArchive } from './person/person-archive.js';
import { PersonController } from './person/person.controller.js';
import { SetupController } from './setup/setup.controller.js';
import { SetupToken } from './setup/setup-token.js';
import { SetupService } from './setup/setup.service.js';
import { Releases } from './status/releases.js';
import { StatusController } from './status/status.controller.js';
import { StatusAnnouncer } from './status/status-announcer.js';
import { AccessTokens } from './user/access-tokens.js';
import { KeyedCommands } from './user/keyed-commands.js';
import { OwnPassword } from './user/own-password.js';
import { SelfController } from './self/self.controller.js';
import { SelfService } from './self/self.service.js';
import { UserAdministrationService } from './user/user-administration.service.js';
import { UserStore } from './user/user-store.js';
import { UserController } from './user/user.controller.js';
import { UsersInternalController } from './user/users.internal.controller.js';
import { WalletsClient } from './user/wallets.client.js';
import { FormerAddress } from './verification/former-address.js';
import { Turnstile } from './verification/turnstile.js';
import { VerificationController } from './verification/verification.controller.js';
import { VerificationService } from './verification/verification.service.js';
import { VerificationCodes } from './verification/verification-codes.js';

@Module({
  controllers: [
    SetupController,
    StatusController,
    LoginController,
    SelfController,
    UserController,
    OptionController,
    UsersInternalController,
    OptionsInternalController,
    VerificationController,
    DeliveryController,
    NoticeConsumer,
    SessionsController,
    SecondStepController,
    EnrolmentController,
    OauthController,
    PersonController,
  ],
  providers: [
    RevisionBroadcast,
    AccessTokens,
    HashKeys,
    AttemptLimit,
    Deliveries,
    Entry,
    ErasureService,
    FactorRemoval,
    Factors,
    GitHub,
    LinuxDo,
    NoticeLimit,
    Notices,
    OauthService,
    OauthVisits,
    Oidc,
    ProviderAccounts,
    ProviderAddresses,
    ProviderCalls,
    PasskeyEnrolment,
    Passkeys,
    PersonArchive,
    OwnerCheck,
    RecoveryCodes,
    RelyingParty,
    TotpEnrolment,
    Unbinding,
    WeChat,
    DeliveryMetrics,
    DeliveryPump,
    DeliveryQueries,
    KeyedCommands,
    KnownAddresses,
    LoginService,
    MailTestService,
    Mailer,
    OidcDiscoveries,
    OptionService,
    OwnPassword,
    PasswordStrategy,
    RegistrationService,
    Releases,
    SelfService,
    SessionListService,
    SessionService,
    SignIns,
    SetupService,
    SetupToken,
    StatusAnnouncer,
    TrustedSettings,
    Turnstile,
    UserAdministrationService,
    UserStore,
    VerificationCodes,
    VerificationService,
    FormerAddress,
    WalletsClient,
    Webhooks,
  ],
})
export class IdentityModule {}

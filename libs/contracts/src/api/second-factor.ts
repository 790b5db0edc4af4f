import { z } from 'zod';
import { textLimits } from '../text-limits.js';
import { hasNoNul, idField, MAX_ID } from './fields.js';

const invalid = '无效的参数';

/** Methods of a second factor. */
export const factorMethods = ['totp', 'passkey', 'recovery'] as const;
export type FactorMethod = (typeof factorMethods)[number];

/**
 * Replaces the signed-in user in a sign-in reply if the password alone is not enough: the browser has ten minutes to use one of these
 * methods.
 */
export const secondStepSchema = z.object({
  require_2fa: z.literal(true),
  methods: z.array(z.enum(factorMethods)),
});
export type SecondStep = z.infer<typeof secondStepSchema>;

/** A code of the authenticator app, with or without spaces, or a recovery code. */
const code = z.string(invalid).trim().min(1, invalid).max(32, invalid).refine(hasNoNul, invalid);
/** The current password. */
const proof = z.string(invalid).max(256, invalid).optional();

export const secondStepCodeSchema = z.object({ code });

/** `GET /api/user/self/2fa`. */
export const factorStatusSchema = z.object({
  totp: z.boolean(),
  passkeys: z.int(),
  /** Number of unused recovery codes. */
  recovery_codes: z.int(),
  /** Whether the operator requires a second factor of this user. */
  required: z.boolean(),
});
export type FactorStatus = z.infer<typeof factorStatusSchema>;

/** The password or a code of the second factor, whichever the account has; with neither, a recent sign-in is required. */
export const proofFields = {
  password: proof,
  code: z.string(invalid).trim().max(32, invalid).refine(hasNoNul, invalid).optional(),
};
export const proofSchema = z.preprocess((body) => body ?? {}, z.object(proofFields));
export type Proof = z.output<typeof proofSchema>;

/** Shown once. The secret becomes active when a code made with it is confirmed. */
export const totpSetupSchema = z.object({
  /** Base32, for typing if no QR code can be scanned. */
  secret: z.string(),
  otpauth_url: z.string(),
  /** The URL as a QR code in SVG. */
  qr_code: z.string(),
});
export type TotpSetup = z.infer<typeof totpSetupSchema>;

export const enableTotpSchema = z.object({ code });
export const disableTotpSchema = z.object({ password: proof, code });
export type DisableTotp = z.input<typeof disableTotpSchema>;

/** Shown once; each is valid for one sign-in. Empty if the user already has recovery codes. */
export const recoveryCodesSchema = z.object({ recovery_codes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof recoveryCodesSchema>;

/** Times are Unix seconds, 0 = never. */
export const passkeySchema = z.object({
  id: z.int().positive(),
  name: z.string(),
  created_at: z.int(),
  last_used_at: z.int(),
  /** The passkey is synchronised to its owner's account with a provider, so it survives the loss of the device. */
  backed_up: z.boolean(),
  /** The host for which it was created; it works only there. */
  host: z.string(),
  usable: z.boolean(),
});
export type Passkey = z.infer<typeof passkeySchema>;

const name = z
  .string(invalid)
  .trim()
  .min(1, '请填写通行密钥的名称')
  .max(textLimits.passkeyName.most, `名称最多 ${textLimits.passkeyName.most} 个字符`)
  .refine((value) => !/\p{Cc}/u.test(value), invalid);
export const renamePasskeySchema = z.object({ name });
export const passkeyParamSchema = z.object({ id: idField(invalid, MAX_ID) });

const base64url = (most: number) =>
  z
    .string(invalid)
    .max(most, invalid)
    .regex(/^[\w-]*={0,2}$/, invalid);
const credential = { id: base64url(2048), rawId: base64url(2048), type: z.literal('public-key', invalid) };

/** The credential that the browser created, as encoded by `@simplewebauthn/browser`. */
export const createPasskeySchema = z.object({
  name,
  response: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(16_384),
      attestationObject: base64url(65_536),
      transports: z.array(z.string(invalid).max(32, invalid)).max(16, invalid).optional(),
    }),
  }),
});
export type CreatePasskey = z.input<typeof createPasskeySchema>;

/** Without `second_step` anyone may call this; with it, only a browser in which the password was just entered. */
export const passkeyBeginSchema = z.preprocess(
  (body) => body ?? {},
  z.object({ second_step: z.boolean(invalid).default(false) }),
);

export const passkeyLoginSchema = z.object({
  response: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(16_384),
      authenticatorData: base64url(16_384),
      signature: base64url(16_384),
      userHandle: base64url(256).nullish(),
    }),
  }),
});
export type PasskeyLogin = z.input<typeof passkeyLoginSchema>;

/** The options for the browser's WebAuthn call, in WebAuthn's JSON encoding. */
export const passkeyOptionsSchema = z.record(z.string(), z.unknown());

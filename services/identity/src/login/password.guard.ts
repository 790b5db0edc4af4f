import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { loginSchema } from '@tollgate/contracts/api/user';
import { AppError, INVALID_INPUT, type PlatformRequest } from '@tollgate/chassis';
import { parseInput } from '../parse-input.js';
import { Turnstile, turnstileQuerySchema } from '../verification/turnstile.js';
import { LoginService } from './login.service.js';
import { PASSWORD_STRATEGY } from './password.strategy.js';

/** Validates the body itself, because guards run before pipes and the documented order of errors has to be kept. */
@Injectable()
export class PasswordGuard extends AuthGuard(PASSWORD_STRATEGY) {
  constructor(
    private readonly logins: LoginService,
    private readonly turnstile: Turnstile,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    await this.turnstile.check(parseInput(turnstileQuerySchema, request.query).turnstile, request.ip);
    this.logins.assertPasswordLoginOpen();
    parseInput(loginSchema, request.body);
    return super.canActivate(context) as Promise<boolean>;
  }

  override handleRequest<Found>(error: unknown, user: Found | false): Found {
    if (error) throw error;
    if (!user) throw new AppError('invalid', 'invalid-input', INVALID_INPUT);
    return user;
  }
}

import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { PlatformRequest } from '@tollgate/chassis';
import passportLocal from 'passport-local';
import type { User } from '../user/user.entity.js';
import { LoginService } from './login.service.js';
import { SessionService } from './session.service.js';

/** Passport has one registry per process, so the name contains the service. */
export const PASSWORD_STRATEGY = 'identity-password';

@Injectable()
export class PasswordStrategy extends PassportStrategy(passportLocal.Strategy, PASSWORD_STRATEGY) {
  constructor(
    private readonly logins: LoginService,
    private readonly sessions: SessionService,
  ) {
    super({ usernameField: 'username', passwordField: 'password', passReqToCallback: true, session: false });
  }

  /** Called by Passport with the values of the two fields. */
  async validate(request: PlatformRequest, username: string, password: string): Promise<User> {
    const session = await this.sessions.of(request);
    return this.logins.verify(username, password, { address: request.ip, session });
  }
}

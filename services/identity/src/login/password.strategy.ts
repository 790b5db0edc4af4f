import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { PlatformRequest } from '@tollgate/chassis';
import passportLocal from 'passport-local';
import type { User } from '../user/user.entity.js';
import { LoginService } from './login.service.js';
import { SessionService } from './session.service.js';

/** Passport's registry is one per process, so the name says whose strategy it is. */
export const PASSWORD_STRATEGY = 'identity-password';

@Injectable()
export class PasswordStrategy extends PassportStrategy(passportLocal.Strategy, PASSWORD_STRATEGY) {
  constructor(
    private readonly logins: LoginService,
    private readonly sessions: SessionService,
  ) {
    super({ usernameField: 'username', passwordField: 'password', passReqToCallback: true, session: false });
  }

  /** Called by passport with what the fields hold. */
  async validate(request: PlatformRequest, username: string, password: string): Promise<User> {
    const session = await this.sessions.of(request);
    return this.logins.verify(username, password, { address: request.ip, session });
  }
}

import { Injectable } from '@nestjs/common';

/** Addresses of the providers that have one for everybody. */
@Injectable()
export class ProviderAddresses {
  github = 'https://github.com';
  githubApi = 'https://api.github.com';
  linuxdo = 'https://connect.linux.do';
}

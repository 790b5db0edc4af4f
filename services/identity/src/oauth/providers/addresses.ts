import { Injectable } from '@nestjs/common';

/** Where the providers are that have one place in the world. */
@Injectable()
export class ProviderAddresses {
  github = 'https://github.com';
  githubApi = 'https://api.github.com';
  linuxdo = 'https://connect.linux.do';
}

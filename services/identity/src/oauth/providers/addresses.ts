import { Injectable } from '@nestjs/common';

/** Addresses of the providers whose address is the same for every installation. */
@Injectable()
export class ProviderAddresses {
  github = 'https://github.com';
  githubApi = 'https://api.github.com';
  linuxdo = 'https://connect.linux.do';
}

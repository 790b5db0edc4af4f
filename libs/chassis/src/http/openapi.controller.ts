import { Controller } from '@nestjs/common';
import { type ApiFragment, getOpenapi } from '@tollgate/contracts';
import { ApiDescription } from './api-description.js';
import { Answers } from './route.js';

/** The path is the same in every service, so any service's row serves. */
const call = getOpenapi('gateway');

@Controller()
export class OpenapiController {
  constructor(private readonly description: ApiDescription) {}

  @Answers(call)
  describe(): Promise<ApiFragment> {
    return this.description.fragment;
  }
}

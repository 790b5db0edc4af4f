import { Controller } from '@nestjs/common';
import { getOptions } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { OptionService } from './option.service.js';

@Controller()
export class OptionsInternalController {
  constructor(private readonly options: OptionService) {}

  @Answers(getOptions)
  list(): Promise<z.output<typeof getOptions.output>> {
    return this.options.snapshot();
  }
}

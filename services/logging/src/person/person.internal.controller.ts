import { Body, Controller } from '@nestjs/common';
import { type PersonPage, personOfLogging } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { PersonRows } from './person-rows.js';

@Controller()
export class PersonInternalController {
  constructor(private readonly people: PersonRows) {}

  @Answers(personOfLogging)
  read(@Body({ schema: personOfLogging.input }) input: z.output<typeof personOfLogging.input>): Promise<PersonPage> {
    return this.people.page(input);
  }
}

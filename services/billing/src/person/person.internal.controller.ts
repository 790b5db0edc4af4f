import { Body, Controller } from '@nestjs/common';
import { type PersonPage, personOfBilling } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { PersonRows } from './person-rows.js';

@Controller()
export class PersonInternalController {
  constructor(private readonly people: PersonRows) {}

  @Answers(personOfBilling)
  read(@Body({ schema: personOfBilling.input }) input: z.output<typeof personOfBilling.input>): Promise<PersonPage> {
    return this.people.page(input);
  }
}

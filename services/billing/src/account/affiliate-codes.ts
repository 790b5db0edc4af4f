import { Injectable } from '@nestjs/common';
import { CLEAR_LETTERS_AND_DIGITS, randomText } from '@tollgate/chassis';

const LENGTH = 8;

/**
 * Draws affiliate codes. People copy them by hand, so letters that look alike are left out. The caller draws again when
 * a code is taken.
 */
@Injectable()
export class AffiliateCodes {
  next(): string {
    return randomText(LENGTH, CLEAR_LETTERS_AND_DIGITS);
  }
}

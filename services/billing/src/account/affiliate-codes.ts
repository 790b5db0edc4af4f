import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
const LENGTH = 8;

/**
 * Draws affiliate codes. People copy them by hand, so letters that look alike are left out. The caller draws again when
 * a code is taken.
 */
@Injectable()
export class AffiliateCodes {
  next(): string {
    return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  }
}

import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
const LENGTH = 8;

/** Codes people pass on by hand: no letters that look alike. A taken one is drawn again by whoever stores it. */
@Injectable()
export class AffiliateCodes {
  next(): string {
    return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  }
}

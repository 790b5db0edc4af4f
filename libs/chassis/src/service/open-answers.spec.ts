import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { OpenAnswers } from './open-answers.js';

/** Emitters without listeners compare as equal, so each gets a name. */
const named = (name: string): ServerResponse =>
  Object.assign(new EventEmitter() as unknown as ServerResponse, { name });

const namesIn = (responses: Iterable<ServerResponse>): string[] =>
  Array.from(responses, (response) => (response as ServerResponse & { name: string }).name).sort();

describe('OpenAnswers', () => {
  it('has each answer once, until it is over', () => {
    const open = new OpenAnswers();
    const [first, second, third] = [named('first'), named('second'), named('third')];
    for (const response of [first, second, third]) open.add(response);
    expect(namesIn(open)).toEqual(['first', 'second', 'third']);
    first.emit('close');
    expect(namesIn(open)).toEqual(['second', 'third']);
    third.emit('close');
    expect(namesIn(open)).toEqual(['second']);
    second.emit('close');
    expect(open.size).toBe(0);
  });

  it('forgets answers in whatever order they end, also between others that begin', () => {
    const open = new OpenAnswers();
    const left = new Set<ServerResponse>();
    for (let at = 0; at < 200; at += 1) {
      const response = named(`answer ${at}`);
      open.add(response);
      left.add(response);
      const gone = [...left][(at * 7) % left.size];
      if (at % 3 === 0 || !gone) continue;
      left.delete(gone);
      gone.emit('close');
      expect(namesIn(open)).toEqual(namesIn(left));
      expect(open.size).toBe(left.size);
    }
  });
});

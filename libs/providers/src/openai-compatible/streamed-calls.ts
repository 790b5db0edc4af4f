import type { JsonObject } from '../adapter.js';
import type { StreamEvent } from '../conversation/conversation.js';
import { objectOf, textOf } from '../json/json.js';
import { nestedIn, type Nesting, OUTSIDE } from '../json/nesting.js';

interface Call {
  readonly choice: number;
  readonly index: number;
  id: string;
  name: string;
  /** Nesting of the arguments so far. */
  nesting: Nesting;
  /** Pieces had other ids, so the upstream's ids do not tell its calls apart. */
  hasFreshIds: boolean;
  isTold: boolean;
}

interface Piece {
  id: string;
  name: string;
  text: string;
}

/** Where the upstream says that a piece belongs. */
export interface Place {
  choice: number;
  /** The upstream's number of the call, or else the position of the piece in its list. */
  number: number;
  isNumbered: boolean;
}

const pieceOf = (json: JsonObject): Piece => {
  const fn = objectOf(json.function);
  return { id: textOf(json.id), name: textOf(fn.name), text: textOf(fn.arguments) };
};

/** Whether a piece of the same number, with a name and an unknown id, begins another call. Some upstreams repeat the name with fresh ids. */
function isOther({ id, name, nesting, hasFreshIds }: Call, piece: Piece): boolean {
  if (id === '') return false;
  if (piece.name !== name) return true;
  const isWithin = nesting.depth > 0 || nesting.isInText;
  return !isWithin && (piece.text !== '' || !hasFreshIds);
}

const beginning = ({ choice, index, id, name }: Call): StreamEvent => ({ type: 'tool-call', choice, index, id, name });

/** The calls of a streamed answer. Some upstreams number all calls alike, or not at all; their ids tell them apart. */
export class StreamedCalls {
  /** The call of the last piece with each number of the upstream, by `choice:number`. */
  private readonly byNumber = new Map<string, Call>();
  /** By `choice:id`. */
  private readonly byId = new Map<string, Call>();
  /** Calls by answer. */
  private readonly counts = new Map<number, number>();
  /** A call that has not been told, because its id or name may still come. */
  private waiting: Call | undefined;
  size = 0;

  /** The events for one piece. A call's first piece has its name and id; later pieces have arguments only. */
  read(json: JsonObject, place: Place): StreamEvent[] {
    const piece = pieceOf(json);
    const known = this.find(piece, place);
    const call = known ?? this.begin(place);
    const released = call === this.waiting ? [] : this.release();
    const key = `${place.choice}:${place.number}`;
    // The number of entries is bounded by that of calls: an upstream may give any number of numbers to one.
    if (!known || this.byNumber.has(key)) this.byNumber.set(key, call);
    this.identify(call, piece);
    call.nesting = nestedIn(call.nesting, piece.text);
    if (!call.isTold) this.waiting = call;
    const { choice, index } = call;
    if (piece.text !== '')
      return [...released, ...this.release(), { type: 'tool-arguments', choice, index, text: piece.text }];
    return call.id === '' || call.name === '' ? released : [...released, ...this.release()];
  }

  /** Tells the waiting call as it is, because something else follows. */
  release(): StreamEvent[] {
    const { waiting } = this;
    this.waiting = undefined;
    if (!waiting) return [];
    waiting.isTold = true;
    return [beginning(waiting)];
  }

  private find(piece: Piece, { choice, number, isNumbered }: Place): Call | undefined {
    const { id, name } = piece;
    const here = this.byNumber.get(`${choice}:${number}`);
    if (id === '' || here?.id === id) return here;
    const named = this.byId.get(`${choice}:${id}`);
    // Some upstreams give all calls one id, and number them.
    if (named && (here || !isNumbered || name === '')) return named;
    return here && name !== '' && isOther(here, piece) ? undefined : here;
  }

  private begin({ choice, number }: Place): Call {
    const isKnown = this.byNumber.has(`${choice}:${number}`);
    const index = Math.max(isKnown ? 0 : number, this.counts.get(choice) ?? 0);
    this.counts.set(choice, index + 1);
    this.size += 1;
    return { choice, index, id: '', name: '', nesting: OUTSIDE, hasFreshIds: false, isTold: false };
  }

  private identify(call: Call, { id, name }: Piece): void {
    if (id !== '' && call.id === '') this.byId.set(`${call.choice}:${id}`, call);
    call.hasFreshIds ||= id !== '' && call.id !== '' && id !== call.id;
    call.id ||= id;
    call.name ||= name;
  }
}

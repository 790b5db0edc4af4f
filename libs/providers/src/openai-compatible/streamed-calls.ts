import type { JsonObject } from '../adapter.js';
import type { StreamEvent } from '../conversation/conversation.js';
import { objectOf, textOf } from '../json/json.js';
import { nestedIn, type Nesting, OUTSIDE } from '../json/nesting.js';

interface Call {
  readonly choice: number;
  readonly index: number;
  readonly id: string;
  readonly name: string;
  hasArguments: boolean;
  /** Nesting of the arguments so far. */
  nesting: Nesting;
}

interface Piece {
  id: string;
  name: string;
  text: string;
}

/** Where the upstream says that a piece belongs. */
export interface Place {
  choice: number;
  /** The upstream's number of the call; `undefined` if it states none. */
  number: number | undefined;
  /** The position of the piece in its list, which counts for pieces without a number. */
  position: number;
}

const pieceOf = (json: JsonObject): Piece => {
  const fn = objectOf(json.function);
  return { id: textOf(json.id), name: textOf(fn.name), text: textOf(fn.arguments) };
};

const isComplete = ({ nesting }: Call): boolean => nesting.isWhole && nesting.depth <= 0 && !nesting.isInText;

const hasOtherId = ({ id }: Call, piece: Piece): boolean => id !== '' && piece.id !== '' && piece.id !== id;

/**
 * Whether a piece begins another call although it has the place of this one, as from upstreams that number all calls alike. Only a piece
 * with a name can. With another name it does, unless the name only comes in pieces; with the same name, when the arguments so far are
 * complete, so that nothing could follow them.
 */
function isOther(call: Call, piece: Piece): boolean {
  if (piece.name === '' || call.name === '') return false;
  if (piece.name !== call.name) return call.hasArguments || hasOtherId(call, piece);
  return isComplete(call) && (piece.text.trim() !== '' || hasOtherId(call, piece));
}

/** The calls of a streamed answer. */
export class StreamedCalls {
  /** The newest call of each place: by the upstream's number, else by the id and by the position in the list. */
  private readonly places = new Map<string, Call>();
  /** Number of calls by answer. */
  private readonly counts = new Map<number, number>();
  size = 0;

  /** The events for one piece. A call's first piece has its name and id; later pieces have arguments only. */
  read(json: JsonObject, place: Place): StreamEvent[] {
    const piece = pieceOf(json);
    const found = this.find(piece, place);
    const isNew = !found || isOther(found, piece);
    const call = isNew ? this.begin(piece, place) : found;
    const { choice, index, id, name } = call;
    const { text } = piece;
    call.nesting = nestedIn(call.nesting, text);
    call.hasArguments ||= text !== '';
    return [
      ...(isNew ? [{ type: 'tool-call' as const, choice, index, id, name }] : []),
      ...(text ? [{ type: 'tool-arguments' as const, choice, index, text }] : []),
    ];
  }

  private find({ id, name }: Piece, place: Place): Call | undefined {
    const here = this.places.get(placeKey(place));
    if (place.number !== undefined || id === '') return here;
    // Without a number, an id tells which call goes on, and a new id with a name that another begins.
    const named = this.places.get(idKey(place, id));
    return named ?? (name === '' ? here : undefined);
  }

  private begin({ id, name }: Piece, place: Place): Call {
    const { choice, number } = place;
    const index = this.counts.get(choice) ?? 0;
    const call = { choice, index, id, name, hasArguments: false, nesting: OUTSIDE };
    this.counts.set(choice, index + 1);
    this.size += 1;
    this.places.set(placeKey(place), call);
    if (number === undefined && id !== '') this.places.set(idKey(place, id), call);
    return call;
  }
}

const placeKey = ({ choice, number, position }: Place): string => `${choice}:${number ?? `at ${position}`}`;

const idKey = ({ choice }: Place, id: string): string => `${choice}:id ${id}`;

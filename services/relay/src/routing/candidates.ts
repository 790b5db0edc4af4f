import type { RoutedChannel } from '@tollgate/contracts';
import {
  type Capabilities,
  findProvider,
  type JsonObject,
  overriddenModel,
  resolveModel,
  runsAt,
  type SearchDialect,
  type TextAdapter,
} from '@tollgate/providers';

type Channels = readonly RoutedChannel[];
type Endpoint = keyof Capabilities;

/** Most model names cached per list; usually there is one, except for a family of models that is routed as one. */
const MOST_NAMES = 100;

interface Names {
  /** The requested name, and the names to which channels map it. */
  all: readonly string[];
  /** Those names that are sent to some upstream. */
  sent: readonly string[];
}

/** Whether the channel's adapter for this endpoint does that at the name that it is sent. */
function isCapable(
  channel: RoutedChannel,
  endpoint: Endpoint,
  capability: 'runsGoogleTools' | 'convertsPictureTexts',
  model: string,
): boolean {
  const adapter = findProvider(channel.type)?.[endpoint];
  return !!adapter && capability in adapter && runsAt((adapter as TextAdapter)[capability], nameAt(channel, model));
}

/** Facts about a list of channels for one requested name. */
interface OfName {
  names?: Names;
  searching: Map<SearchDialect, Channels>;
  google: Map<Endpoint, boolean>;
  pictureTexts: Map<Endpoint, boolean>;
  ownContext?: boolean;
}

/**
 * Facts about a list of channels that hold for every request, computed once per list: the route table makes a new list
 * whenever a channel changes.
 */
class Candidates {
  private readonly able = new Map<Endpoint, Channels>();
  private readonly byName = new Map<string, OfName>();
  private overrides: readonly JsonObject[] | undefined;
  private isUnlimited: boolean | undefined;

  constructor(private readonly channels: Channels) {}

  for(endpoint: Endpoint): Channels {
    let able = this.able.get(endpoint);
    if (!able) {
      able = this.channels.filter(({ type }) => findProvider(type)?.[endpoint] !== undefined);
      // Usually all channels are able; then the same list is returned, so that its cached facts are shared.
      if (able.length === this.channels.length) able = this.channels;
      this.able.set(endpoint, able);
    }
    return able;
  }

  ofSearches(dialect: SearchDialect, model: string): Channels {
    const { searching: known } = this.ofName(model);
    let searching = known.get(dialect);
    if (!searching) {
      searching = this.channels.filter((channel) =>
        runsAt(findProvider(channel.type)?.[dialect]?.runsSearches, nameAt(channel, model)),
      );
      known.set(dialect, searching);
    }
    return searching;
  }

  runGoogleTools(endpoint: Endpoint, model: string): boolean {
    const { google } = this.ofName(model);
    let runs = google.get(endpoint);
    if (runs === undefined) {
      runs = this.channels.some((channel) => isCapable(channel, endpoint, 'runsGoogleTools', model));
      google.set(endpoint, runs);
    }
    return runs;
  }

  convertPictureTexts(endpoint: Endpoint, model: string): boolean {
    const { pictureTexts } = this.ofName(model);
    let convert = pictureTexts.get(endpoint);
    if (convert === undefined) {
      convert = this.channels.every((channel) => isCapable(channel, endpoint, 'convertsPictureTexts', model));
      pictureTexts.set(endpoint, convert);
    }
    return convert;
  }

  haveOwnContext(model: string): boolean {
    const found = this.ofName(model);
    return (found.ownContext ??= this.channels.some((channel) =>
      runsAt(findProvider(channel.type)?.hasOwnContext, nameAt(channel, model)),
    ));
  }

  heedNoLimit(): boolean {
    return (this.isUnlimited ??= this.channels.some(({ type }) => findProvider(type)?.heedsNoLimit === true));
  }

  namesOf(model: string): Names {
    return (this.ofName(model).names ??= namesOf(model, this.channels));
  }

  private ofName(model: string): OfName {
    let found = this.byName.get(model);
    if (!found) {
      if (this.byName.size >= MOST_NAMES) this.byName.clear();
      this.byName.set(model, (found = { searching: new Map(), google: new Map(), pictureTexts: new Map() }));
    }
    return found;
  }

  differingOverrides(): readonly JsonObject[] {
    this.overrides ??= differing(this.channels.map(({ paramOverride }) => paramOverride as JsonObject));
    return this.overrides;
  }
}

const known = new WeakMap<Channels, Candidates>();

function of(channels: Channels): Candidates {
  let found = known.get(channels);
  if (!found) known.set(channels, (found = new Candidates(channels)));
  return found;
}

/** The channels that serve the endpoint. */
export const ableChannels = (channels: Channels, endpoint: Endpoint): Channels => of(channels).for(endpoint);

/** The channels whose upstream runs searches for clients of that dialect; others would drop the search tool. */
export const searchingChannels = (channels: Channels, dialect: SearchDialect, model: string): Channels =>
  of(channels).ofSearches(dialect, model);

/** Whether the upstream of some channel runs functions with Google's tool names itself. */
export const runsGoogleTools = (channels: Channels, endpoint: Endpoint, model: string): boolean =>
  of(channels).runGoogleTools(endpoint, model);

/** Whether no channel sends pictures in texts of earlier answers as text. */
export const convertPictureTexts = (channels: Channels, endpoint: Endpoint, model: string): boolean =>
  of(channels).convertPictureTexts(endpoint, model);

/** Whether some channel leads to an agent or an app, which reads more than what it is sent. */
export const haveOwnContext = (channels: Channels, model: string): boolean => of(channels).haveOwnContext(model);

/** Whether the dialect of some channel omits the limit on the output. */
export const heedNoLimit = (channels: Channels): boolean => of(channels).heedNoLimit();

/** The requested name, and the names to which channels map it. */
export const modelNames = (channels: Channels, model: string): readonly string[] => of(channels).namesOf(model).all;

/** The names that are sent to upstreams; the requested one is included only where some channel does not map it. */
export const sentNames = (channels: Channels, model: string): readonly string[] => of(channels).namesOf(model).sent;

/** A request whose body may be forwarded byte for byte. */
interface PassedOn {
  endpoint: Endpoint;
  model: string;
  json: JsonObject;
}

/**
 * How upstreams read a body that is forwarded byte for byte: one reading for each candidate of another dialect, in the
 * member names of chat. Overrides do not apply then, except at a channel that converts the body anyway; so the empty
 * override is added.
 */
export function readUnchanged(
  channels: Channels,
  { endpoint, model, json }: PassedOn,
): { overrides: readonly JsonObject[]; readings: JsonObject[] } {
  const overrides = overridesIn(channels);
  const readings = new Map<string, JsonObject>();
  for (const channel of channels) {
    const name = nameAt(channel, model);
    const key = `${channel.type} ${name}`;
    const adapter = findProvider(channel.type)?.[endpoint];
    const known = readings.has(key) || !adapter || !('boundsUnchanged' in adapter);
    const found = known ? undefined : adapter.boundsUnchanged?.(json, name);
    if (found) readings.set(key, found);
  }
  return { overrides: overrides.length > 0 ? [...overrides, {}] : [], readings: [...readings.values()] };
}

/** The distinct overrides of the channels, including the empty one; empty when no channel overrides anything. */
export const overridesIn = (channels: Channels): readonly JsonObject[] => of(channels).differingOverrides();

function differing(overrides: readonly JsonObject[]): readonly JsonObject[] {
  const byText = new Map(overrides.map((override) => [JSON.stringify(override), override]));
  return overrides.some((override) => Object.keys(override).length > 0) ? [...byText.values()] : [];
}

/**
 * The name by which a channel chooses its upstream's dialect. A circular mapping is refused when its channel is tried.
 */
function nameAt({ modelMapping }: RoutedChannel, model: string): string {
  try {
    return resolveModel(modelMapping, model);
  } catch {
    return model;
  }
}

function namesOf(model: string, channels: Channels): Names {
  const sent = new Set<string>();
  for (const { modelMapping, paramOverride } of channels) {
    const { model: put } = overriddenModel(paramOverride as JsonObject);
    if (put !== undefined) sent.add(put);
    try {
      sent.add(resolveModel(modelMapping, model));
    } catch {
      // A circular mapping is refused when its channel is tried.
    }
  }
  return { all: [...new Set([model, ...sent])], sent: [...sent] };
}

import { must } from '../../../libs/problem';
import { isKeyOption, isTapOption } from '../../core/grab';
import { EVENT_ID } from '../notification';
import { invalidField, isId, malformedRequest, unknownField } from '../../platform/http';

/** Room for all options of a tap, each at its longest. */
export const FRAME_BYTES_MAX = 2048;

export const WATCHED_MAX = 10;
const WATCHED_RULE = `must be a list of at most ${WATCHED_MAX} decimal ids`;

export const FRAME_ID = /^[\x21-\x7e]{1,64}$/;

/** A grab also has the options of a tap, and `watch` those of them that are keys. */
const FIELDS = {
  grab: ['id', 'op', 'activityId'],
  watch: ['id', 'op', 'activityIds', 'lastEventId'],
  ping: ['id', 'op'],
} as const;

/** How many requests of its user a frame counts as, as `@CountsAs` says it of a route. */
export const COUNTS_AS: Readonly<Record<Op, number>> = { grab: 1, watch: 5, ping: 1 };

export type Op = keyof typeof FIELDS;
export const OPS = Object.keys(FIELDS) as readonly Op[];

type Fields = Readonly<Record<string, unknown>>;

/** A client's frame: an object with an id, or the fault of the frame. */
export interface Frame {
  /** Null when the id cannot be used for an answer. */
  readonly id: string | null;
  readonly fields: Fields;
  readonly fault?: Error;
}

export interface Watch {
  readonly activityIds: readonly string[];
  readonly lastEventId?: string;
}

export function readFrame(text: string): Frame {
  const fields = readObject(text);
  if (!fields) return unusable(malformedRequest('A frame is one JSON object.'));
  const { id } = fields;
  if (typeof id === 'string' && FRAME_ID.test(id)) return { id, fields };
  return unusable(invalidField('id', must.beA('frame-id')));
}

/** Without a usable id the client cannot know which of its frames the answer belongs to. */
export const unusable = (fault: Error): Frame => ({ id: null, fields: {}, fault });

export const idInUse = (id: string): Frame =>
  unusable(invalidField('id', must.beUnique(`is that of a frame without an answer: ${id}`)));

/** @throws invalidRequest */
export function opOf({ op }: Fields): Op {
  const known = OPS.find((one) => one === op);
  if (known === undefined) throw invalidField('op', must.beOneOf(OPS));
  return known;
}

/** @throws unknownField */
export function requireKnownFields(fields: Fields, op: Op): void {
  const known: readonly string[] = FIELDS[op];
  const isOption = { grab: isTapOption, watch: isKeyOption, ping: () => false }[op];
  const isKnown = (field: string) => known.includes(field) || isOption(field);
  const unknown = Object.keys(fields).filter((field) => !isKnown(field));
  if (unknown.length === 0) return;
  throw unknownField('The request has fields that are not known here.', {
    fields: unknown.map((field) => ({
      field: field.slice(0, 64),
      ...must.beKnown(`is not a field of ${op}`),
    })),
  });
}

/** @throws invalidRequest */
export function activityIdOf({ activityId }: Fields): string {
  if (isId(activityId)) return activityId;
  throw invalidField('activityId', must.beA('id'));
}

/** @throws invalidRequest */
export function watchOf({ activityIds = [], lastEventId }: Fields): Watch {
  if (!isListOfIds(activityIds)) throw invalidField('activityIds', must.beA('list-of-ids', WATCHED_RULE));
  if (activityIds.length > WATCHED_MAX)
    throw invalidField('activityIds', must.haveSize('items', { maximum: WATCHED_MAX }, WATCHED_RULE));
  if (lastEventId === undefined) return { activityIds };
  if (typeof lastEventId === 'string' && EVENT_ID.test(lastEventId)) return { activityIds, lastEventId };
  throw invalidField('lastEventId', must.beA('event-id'));
}

const isListOfIds = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isId);

function readObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

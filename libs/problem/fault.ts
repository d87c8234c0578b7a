/**
 * The rules that a field may break, each with the figures that it may have: all that a client needs to
 * say it in another language. Rules and figures are public and stable, like the codes of problems.
 */
export const RULES = {
  unknown: [],
  required: ['others'],
  forbidden: [],
  form: ['expected'],
  'one-of': ['values'],
  unique: [],
  minimum: ['minimum', 'other'],
  maximum: ['maximum', 'other'],
  above: ['other'],
  later: ['other'],
  'not-later': ['other'],
  earlier: ['other'],
  'not-earlier': ['other'],
  within: ['maximum', 'other'],
  size: ['unit', 'minimum', 'maximum'],
  sum: ['of', 'other'],
  contrast: ['minimum', 'other'],
  healthy: [],
} as const;

export type Rule = keyof typeof RULES;
export const RULE_NAMES = Object.keys(RULES) as readonly Rule[];

export const FORMS = [
  'text',
  'text-without-control-characters',
  'text-without-direction-marks',
  'whole-number',
  'boolean',
  'object',
  'list',
  'amount',
  'currency-code',
  'id',
  'list-of-ids',
  'user-id',
  'hash',
  'frame-id',
  'event-id',
  'subject',
  'action',
  'cursor',
  'instant',
  'day',
  'time-zone',
  'local-time',
  'recurrence-rule',
  'url',
  'https-url',
  'public-url',
  'url-without-password',
  'url-without-query',
  'colour',
  'image-data-url',
  'image-of-its-type',
  'whole-image',
] as const;
export type Form = (typeof FORMS)[number];

export const UNITS = ['characters', 'items', 'decimals', 'bytes', 'pixels'] as const;
export type Unit = (typeof UNITS)[number];

/** Numbers are text, like amounts, so that a figure has one type in every client. */
interface Figures {
  readonly expected?: Form;
  readonly values?: readonly string[];
  readonly minimum?: string;
  readonly maximum?: string;
  readonly unit?: Unit;
  readonly of?: string;
  readonly other?: string;
  readonly others?: readonly string[];
}

/** The rule that a value breaks, and an English sentence that begins after the name of its field. */
export interface Fault extends Figures {
  readonly rule: Rule;
  readonly message: string;
}

/** `field` is the path as the client wrote it, e.g. `split.tiers[2].amount`. */
export interface FieldFault extends Fault {
  readonly field: string;
}

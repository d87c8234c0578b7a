import { USER_ID_RULE } from '../user-id';
import type { Fault, Form, Unit } from './fault';

const FORM_MESSAGES: Readonly<Record<Form, string>> = {
  text: 'must be text',
  'text-without-control-characters': 'must not contain control characters or halves of characters',
  'text-without-direction-marks': 'must not contain characters that turn the direction of a line',
  'whole-number': 'must be a whole number',
  boolean: 'must be true or false',
  object: 'must be an object',
  list: 'must be a list',
  amount: 'must be an amount of money above zero',
  'currency-code':
    'must be a code such as EUR, or for points four to twelve capitals and digits such as COINS',
  id: 'must be a decimal id',
  'list-of-ids': 'must be a list of decimal ids',
  'user-id': USER_ID_RULE,
  hash: 'must be 64 hexadecimal digits, in lower case',
  'frame-id': 'must be 1 to 64 visible ASCII characters',
  'event-id': 'must be the id of an event',
  subject: 'must be a noun and an id, such as wallet:u1',
  action: 'must be a noun and a verb, such as wallet.freeze',
  cursor: 'is not a cursor of this list',
  instant: 'must be an instant of RFC 3339 such as 2031-02-01T20:00:00Z',
  day: 'must be a day such as 2031-02-03',
  'time-zone': 'must be the IANA name of a time zone',
  'local-time': 'must be a local time such as 2031-02-01T20:00:00',
  'recurrence-rule': 'must be a rule of RFC 5545 such as FREQ=WEEKLY;BYDAY=FR',
  url: 'must be a URL',
  'https-url': 'must start with https://',
  'public-url': 'must be a public address',
  'url-without-password': 'must not name a user or a password',
  'url-without-query': 'must have neither a query nor a fragment',
  colour: 'must be a colour such as #b3001b',
  'image-data-url': 'must be a data URL of a PNG or WebP image in base64',
  'image-of-its-type': 'must be an image of the type that it names',
  'whole-image': 'must be a whole image without a frame beyond its canvas',
};

const DECIMALS = [
  'must have no decimals in this currency',
  'must have at most one decimal in this currency',
  'must have at most two decimals',
  'must have at most three decimals',
] as const;

interface Range {
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Counted extends Range {
  readonly noun: string;
  readonly verb?: 'have' | 'name';
}

const text = (figure: number | undefined): string | undefined => figure?.toString();

/**
 * Makes the faults of fields: `must.beAtLeast(1)` is the rule `minimum`, its figure, and the sentence
 * "must be at least 1". A message is given where the sentence needs other words.
 */
export const must = {
  beKnown: (message = 'is not a field of this request'): Fault => ({ rule: 'unknown', message }),

  /** @param others the fields of which one is enough */
  beThere: (message: string, others?: readonly string[]): Fault => ({ rule: 'required', message, others }),

  beLeftOut: (message: string): Fault => ({ rule: 'forbidden', message }),

  beA: (expected: Form, message = FORM_MESSAGES[expected]): Fault => ({ rule: 'form', message, expected }),

  beOneOf: (values: readonly string[], message = `must be one of ${values.join(', ')}`): Fault => ({
    rule: 'one-of',
    message,
    values,
  }),

  beUnique: (message: string): Fault => ({ rule: 'unique', message }),

  beAtLeast: (minimum: number | string, message = `must be at least ${minimum}`, other?: string): Fault => ({
    rule: 'minimum',
    message,
    minimum: String(minimum),
    other,
  }),

  beAtMost: (maximum: number | string, message = `must be at most ${maximum}`, other?: string): Fault => ({
    rule: 'maximum',
    message,
    maximum: String(maximum),
    other,
  }),

  beAbove: (other: string, message: string): Fault => ({ rule: 'above', message, other }),

  beLaterThan: (other: string, message = `must be later than ${other}`): Fault => ({
    rule: 'later',
    message,
    other,
  }),

  notBeLaterThan: (other: string): Fault => ({
    rule: 'not-later',
    message: `must not be later than ${other}`,
    other,
  }),

  beEarlierThan: (other: string): Fault => ({
    rule: 'earlier',
    message: `must be earlier than ${other}`,
    other,
  }),

  notBeEarlierThan: (other: string): Fault => ({
    rule: 'not-earlier',
    message: `must not be earlier than ${other}`,
    other,
  }),

  beWithin: (days: number, other: string, message = `must be within ${days} days from ${other}`): Fault => ({
    rule: 'within',
    message,
    maximum: String(days),
    other,
  }),

  haveSize: (unit: Unit, { minimum, maximum }: Range, message: string): Fault => ({
    rule: 'size',
    message,
    unit,
    minimum: text(minimum),
    maximum: text(maximum),
  }),

  haveCharacters: ({ minimum, maximum }: { minimum: number; maximum: number }): Fault =>
    must.haveSize('characters', { minimum, maximum }, `must have ${minimum} to ${maximum} characters`),

  haveDecimals: (maximum: 0 | 1 | 2 | 3): Fault => must.haveSize('decimals', { maximum }, DECIMALS[maximum]),

  haveOne: ({ noun, verb = 'have' }: Counted): Fault =>
    must.haveSize('items', { minimum: 1 }, `must ${verb} at least one ${noun}`),

  haveFewer: ({ noun, verb = 'have', maximum }: Counted): Fault =>
    must.haveSize('items', { maximum }, `must ${verb} at most ${maximum} ${noun}s`),

  addUp: (of: string, other: string, message: string): Fault => ({ rule: 'sum', message, of, other }),

  haveContrast: (minimum: number, other: string): Fault => ({
    rule: 'contrast',
    message: `must have a contrast of at least ${minimum}:1 with ${other}`,
    minimum: String(minimum),
    other,
  }),

  beHealthy: (message: string): Fault => ({ rule: 'healthy', message }),
};

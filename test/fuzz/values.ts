import type { Chance } from '../faults/chance';
import type { Api, Schema } from './operations';

const DAY_MS = 86_400_000;

/** Values that no field of ours accepts, or accepts only after close checks. */
const HOSTILE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '0',
  '-1',
  '-0',
  '1e3',
  '0x10',
  '12.345',
  ' 5',
  '5 ',
  '9223372036854775807',
  '9223372036854775808',
  '123456789012345678901234567890',
  '999999999999999.99',
  'NaN',
  'Infinity',
  'null',
  '{}',
  '{07}:1',
  '*',
  ':',
  '..',
  '../../etc/passwd',
  '%00',
  '\ud800',
  '😀',
  'ａ',
  '\u202e',
  "'; drop table claim; --",
  '$1',
  '__proto__',
  'constructor',
  'x'.repeat(129),
  'x'.repeat(5_000),
  '9999-12-31T23:59:59Z',
  '0000-01-01T00:00:00Z',
  '2031-02-30T00:00:00Z',
  '2031-02-01T00:00:60Z',
  [],
  [[]],
  [null],
  {},
  { length: 1 },
  { toString: 'x' },
  Array.from({ length: 200 }, () => 'x'),
];

/** Well-formed JSON as text, because some of it cannot be expressed as a value. */
export const HOSTILE_TEXTS: readonly string[] = [
  '{"__proto__":{"role":"operator"}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"amount":"1.00","amount":"2.00"}',
  '[]',
  '[1,2,3]',
  'null',
  'true',
  '"text"',
  '7',
  '1e999',
  '{',
  '{"a":}',
  '\ufeff{}',
  '{"a":"\\ud800"}',
  '['.repeat(2_000),
  `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`,
  `{"name":"${'x'.repeat(17_000)}"}`,
  '',
];

/** Postgres takes it neither as text nor in JSON, so it finds every text that is asked for before it is judged. */
const UNSTORABLE = 'a\u0000b';
const UNSTORABLE_OF = 0.15;

export const hostile = (chance: Chance): unknown =>
  chance.isTrue(UNSTORABLE_OF) ? UNSTORABLE : chance.pick(HOSTILE);

/** Minutes: RFC 3339 allows offsets up to 23:59. */
const OFFSET_MAX = 1_439;

/** Values that the API accepts, made from the descriptions of its document. */
export class ValidValues {
  constructor(
    private readonly api: Api,
    private readonly chance: Chance,
    /** Ids that exist. */
    private readonly known: { readonly activityIds: string[]; readonly userIds: readonly string[] },
  ) {}

  of(schema: Schema, name = ''): unknown {
    const resolved = this.api.resolve(schema);
    if (resolved.oneOf) return this.of(this.chance.pick(resolved.oneOf), name);
    if (resolved.properties)
      return Object.fromEntries(
        Object.entries(resolved.properties).map(([key, part]) => [key, this.of(part, key)]),
      );
    if (resolved.type === 'array') return [this.of(resolved.items ?? {}, name)];
    return this.scalar(resolved, name);
  }

  private scalar(schema: Schema, name: string): unknown {
    if (/^(id|activityId|redPacketId)$/.test(name)) return this.chance.pick([...this.known.activityIds, '1']);
    if (/^(ownerId|userId|sponsorId|actorId)$/.test(name)) return this.chance.pick(this.known.userIds);
    if (name === 'opensAt') return this.instant(0);
    if (name === 'closesAt') return this.instant(1);
    if (name === 'limit') return this.chance.integer(1, 100);
    if (schema.format === 'date-time') return this.instant(0);
    if (schema.enum) return this.chance.pick(schema.enum);
    return schema.example ?? schema.default ?? (schema.type === 'integer' ? 1 : 'text');
  }

  private instant(days: number): string {
    const ms = Date.now() + days * DAY_MS + this.chance.integer(-1000, 1000);
    return this.chance.isTrue(0.5)
      ? new Date(ms).toISOString()
      : elsewhere(ms, this.chance.integer(0, OFFSET_MAX));
  }
}

/** The instant as it is written east of Greenwich, further than any real place lies. */
function elsewhere(ms: number, offsetMinutes: number): string {
  const local = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1);
  return `${local}+${new Date(offsetMinutes * 60_000).toISOString().slice(11, 16)}`;
}

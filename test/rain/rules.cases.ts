import type { FieldFault, ProblemCode } from '../../libs/client';
import { must, RULES } from '../../libs/problem';
import { WORDS } from '../harness/console-words';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

type Entry = Partial<Record<string, string | readonly string[]>>;

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const waves = (...all: (readonly [hours: number, count: number])[]) => ({
  pace: { kind: 'waves', waves: all.map(([hours, count]) => ({ at: inHours(hours), count })) },
});
const plan = (change: object) => ({ ...planOf({ sponsorId: 'ruled', totalAmount: '10.00' }), ...change });
const channel = (profile: object, change: object = {}) => ({
  name: 'Ruled',
  profile: { smallest: '1', ...profile },
  ...change,
});
const colors = { background: '#ffffff', foreground: '#fffffe', accent: '#000000' };

/** A PNG of this width; its first bytes are enough to refuse it. */
function widePng(width: number, length = 30): string {
  const bytes = Buffer.alloc(length);
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(1, 20);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

/** Each path and body, and the entry of the problem that answers them, without its message. */
const BODIES: readonly (readonly [path: string, body: object, entry: Entry])[] = [
  [
    'activities',
    plan({ split: { kind: 'random', min: '1.01' } }),
    { field: 'split.min', rule: 'maximum', maximum: '1.00' },
  ],
  [
    'activities',
    plan({ split: { kind: 'random', max: '0.99' } }),
    { field: 'split.max', rule: 'minimum', minimum: '1.00' },
  ],
  [
    'activities',
    plan({ split: { kind: 'random', min: '0.20', max: '0.10' } }),
    { field: 'split.min', rule: 'maximum', maximum: '0.10', other: 'split.max' },
  ],
  ['activities', plan({ totalAmount: '0.09' }), { field: 'totalAmount', rule: 'minimum', minimum: '0.10' }],
  ['activities', plan({ packetCount: 0 }), { field: 'packetCount', rule: 'minimum', minimum: '1' }],
  [
    'activities',
    plan({ packetCount: '10' }),
    { field: 'packetCount', rule: 'form', expected: 'whole-number' },
  ],
  [
    'activities',
    plan({ totalAmount: '1.234' }),
    { field: 'totalAmount', rule: 'size', unit: 'decimals', maximum: '2' },
  ],
  [
    'currencies',
    { code: 'gems', kind: 'points', name: 'Gems' },
    { field: 'code', rule: 'form', expected: 'currency-code' },
  ],
  ['activities', plan({ totalAmount: 10 }), { field: 'totalAmount', rule: 'form', expected: 'amount' }],
  [
    'activities',
    plan({ name: '' }),
    { field: 'name', rule: 'size', unit: 'characters', minimum: '1', maximum: '100' },
  ],
  ['activities', plan({ name: ' ' }), { field: 'name', rule: 'required' }],
  ['activities', plan({ userId: 'u1' }), { field: 'userId', rule: 'unknown' }],
  ['activities', plan({ theme: 'red' }), { field: 'theme', rule: 'form', expected: 'object' }],
  ['activities', plan({ split: undefined }), { field: 'split', rule: 'form', expected: 'object' }],
  [
    'activities',
    plan({ split: { kind: 'lottery' } }),
    { field: 'split.kind', rule: 'one-of', values: ['random', 'equal', 'tiers'] },
  ],
  [
    'activities',
    plan({ split: { kind: 'tiers', tiers: [{ amount: '1.00', count: 9 }] } }),
    { field: 'split.tiers', rule: 'sum', of: 'count', other: 'packetCount' },
  ],
  [
    'activities',
    plan({ split: { kind: 'tiers', tiers: [{ amount: '0.50', count: 10 }] } }),
    { field: 'split.tiers', rule: 'sum', of: 'amount', other: 'totalAmount' },
  ],
  [
    'activities',
    plan({ split: { kind: 'tiers', tiers: [] } }),
    { field: 'split.tiers', rule: 'size', unit: 'items', minimum: '1' },
  ],
  [
    'activities',
    plan({ split: { kind: 'tiers', tiers: 'none' } }),
    { field: 'split.tiers', rule: 'form', expected: 'list' },
  ],
  [
    'activities',
    plan({ limits: {} }),
    { field: 'limits', rule: 'required', others: ['limits.perUserPerDay', 'limits.perUser'] },
  ],
  ['activities', plan({ opensAt: inHours(2) }), { field: 'closesAt', rule: 'later', other: 'opensAt' }],
  ['activities', plan({ closesAt: inHours(-1) }), { field: 'closesAt', rule: 'later', other: 'now' }],
  [
    'activities',
    plan({ closesAt: inHours(9_000) }),
    { field: 'closesAt', rule: 'within', maximum: '366', other: 'now' },
  ],
  [
    'activities',
    plan({
      totalAmount: '10000.00',
      packetCount: 1_000_000,
      closesAt: inHours(2_880),
      pace: { kind: 'even' },
    }),
    { field: 'pace.until', rule: 'within', maximum: '104', other: 'opensAt' },
  ],
  [
    'activities',
    plan({ pace: { kind: 'even', until: inHours(2) } }),
    { field: 'pace.until', rule: 'not-later', other: 'closesAt' },
  ],
  ['activities', plan(waves([-1, 10])), { field: 'pace.waves[0].at', rule: 'not-earlier', other: 'opensAt' }],
  ['activities', plan(waves([1, 10])), { field: 'pace.waves[0].at', rule: 'earlier', other: 'closesAt' }],
  [
    'activities',
    plan(waves([0.2, 5], [0.1, 5])),
    { field: 'pace.waves[1].at', rule: 'later', other: 'pace.waves[0].at' },
  ],
  [
    'activities',
    plan({ theme: { colors } }),
    { field: 'theme.colors.foreground', rule: 'contrast', minimum: '4.5', other: 'theme.colors.background' },
  ],
  [
    'payout-channels',
    channel({ largest: '0.99' }),
    { field: 'profile.largest', rule: 'minimum', minimum: '1.00', other: 'profile.smallest' },
  ],
  [
    'payout-channels',
    channel({ keyLifetimeSeconds: 300, quarantineSeconds: 300 }),
    { field: 'profile.keyLifetimeSeconds', rule: 'above', other: 'profile.quarantineSeconds' },
  ],
  [
    'payout-channels',
    channel({}, { url: 'https://shop.example/?a=b' }),
    { field: 'url', rule: 'form', expected: 'url-without-query' },
  ],
  [
    'webhooks',
    { url: 'https://shop.example/', events: ['wallet.credited', 'wallet.credited'] },
    { field: 'events', rule: 'unique' },
  ],
  ['webhooks', { url: 'ftp://shop.example/' }, { field: 'url', rule: 'form', expected: 'https-url' }],
];

const withoutMessage = ({ message, ...entry }: Entry): Entry => {
  expect(message).toMatch(/^(must|is|can) /);
  return entry;
};

describe('an entry of the errors of a problem', () => {
  const seen = [{ field: 'redis', ...must.beHealthy('is not reachable') }] as FieldFault[];

  const entriesOf = (body: { errors: FieldFault[] }) => {
    seen.push(...body.errors);
    return body.errors.map((entry) => withoutMessage(entry as unknown as Entry));
  };

  it.each(BODIES)('of POST /v1/%s with %j has its rule with the figures', async (path, body, entry) => {
    const answer = await rain.operator().post(`/v1/${path}`, body);
    expect(answer).toMatchObject({ status: 400, body: { status: 400 } });
    expect(entriesOf(answer.body)).toEqual([entry]);
  });

  it('also has its rule for queries, paths, headers and sponsors that users cannot choose', async () => {
    const user = rain.user('ruth');
    const entries = await Promise.all([
      rain.operator().get('/v1/audit-log?limit=101'),
      rain.operator().get('/v1/audit-log?cursor=x'),
      rain.operator().get('/v1/activities/x'),
      rain.operator().get('/v1/log/consistency?from=2&to=1'),
      user.post('/v1/activities', plan({})),
    ]);
    expect(entries.flatMap(({ body }) => entriesOf(body))).toEqual([
      { field: 'limit', rule: 'maximum', maximum: '100' },
      { field: 'cursor', rule: 'form', expected: 'cursor' },
      { field: 'id', rule: 'form', expected: 'id' },
      { field: 'from', rule: 'maximum', maximum: '1', other: 'to' },
      { field: 'sponsorId', rule: 'forbidden' },
    ]);
  });

  it('has its rule for logos, in bytes and pixels', async () => {
    const id = await rain.createActivity({ sponsorId: 'ruled' });
    const entryOf = async (logo: string) =>
      entriesOf((await rain.operator().patch(`/v1/activities/${id}`, { logo })).body)[0];
    const size = { field: 'logo', rule: 'size' };
    expect(await entryOf(widePng(513))).toEqual({ ...size, unit: 'pixels', maximum: '512' });
    expect(await entryOf(widePng(1, 8_193))).toEqual({ ...size, unit: 'bytes', maximum: '8192' });
  });

  it('has been seen above for each rule, with each of its figures', () => {
    const figuresOf = (rule: string) =>
      new Set(seen.filter((entry) => entry.rule === rule).flatMap((entry) => Object.keys(entry)));
    const found = Object.keys(RULES).map((rule) => {
      const figures = figuresOf(rule);
      return [rule, ['rule', 'field', 'message'].every((part) => figures.delete(part)), [...figures].sort()];
    });
    expect(found).toEqual(Object.entries(RULES).map(([rule, figures]) => [rule, true, [...figures].sort()]));
  });

  it('is said in Chinese by the console, with its figures', () => {
    const problem = {
      status: 400,
      code: 'request.invalid' as ProblemCode,
      title: 'Invalid request',
      detail: 'No.',
    };
    const wrong = seen.filter((entry) => {
      const { field, rule, message, ...figures } = entry;
      const text = WORDS.zh.faults.fields(problem, [entry]);
      const coded = [figures.expected, figures.unit, figures.of];
      const shown = Object.values(figures)
        .flat()
        .filter((figure) => !coded.includes(figure as never) && figure !== 'now');
      const said = text.slice(text.indexOf(field) + field.length);
      const isNone = rule === 'size' && figures.unit === 'decimals' && figures.maximum === '0';
      return (
        !/\p{Script=Han}/u.test(said) ||
        text.includes(message) ||
        !(isNone || shown.every((one) => said.includes(one)))
      );
    });
    expect(wrong).toEqual([]);
  });
});

import type { Schema } from '../../../libs/client';
import { type Arguments, type Options, UsageError } from './arguments';
import { type Command, type Found, KEY_OPTION, keyOf, PAGE_OPTIONS, pageOf } from './command';
import { fieldsOf, foundOne, foundPage, tableOf } from './views';

type Split = Schema<'CreateActivityBody'>['split'];

const RANDOM: Split = { kind: 'random' };

const SPLIT_OPTIONS = {
  min: { value: 'AMOUNT', help: 'no packet holds less', field: 'split.min' },
  max: { value: 'AMOUNT', help: 'no packet holds more', field: 'split.max' },
  equal: { help: 'all packets hold the same; random amounts unless given' },
  tier: {
    value: 'AMOUNTxCOUNT',
    help: 'as many packets of this amount; once for each tier',
    multiple: true,
    field: 'split.tiers',
  },
} satisfies Options;

export const activityCommands: readonly Command[] = [
  {
    words: 'activities list',
    help: 'activities, newest first',
    options: {
      phase: { value: 'PHASE', help: 'only scheduled, open, sold-out, closed or settled ones' },
      sponsor: { value: 'USER', help: 'only those of a sponsor', field: 'sponsorId' },
      name: { value: 'TEXT', help: 'only those whose name contains it' },
      ...PAGE_OPTIONS,
    },
    run: async (api, args) => {
      const page = await api.get('/v1/activities', {
        query: {
          ...{ phase: args.text('phase'), sponsorId: args.text('sponsor'), name: args.text('name') },
          ...pageOf(args),
        },
      });
      return foundPage(page, ['id', 'name', 'phase', 'sponsorId', 'totalAmount', 'packetCount', 'closesAt']);
    },
  },
  {
    words: 'activities show',
    operands: ['ID'],
    help: 'one activity',
    run: async (api, args) =>
      foundOne(await api.get('/v1/activities/{id}', { path: { id: args.operand() } })),
  },
  {
    words: 'activities create',
    help: 'fund an activity from the wallet of its sponsor, and split it',
    options: {
      name: { value: 'NAME', help: 'what people read', required: true },
      sponsor: { value: 'USER', help: 'whose wallet pays', required: true, field: 'sponsorId' },
      total: {
        value: 'AMOUNT',
        help: 'what all packets hold together',
        required: true,
        field: 'totalAmount',
      },
      packets: { value: 'N', help: 'how many packets', required: true, field: 'packetCount' },
      closes: {
        value: 'INSTANT',
        help: 'when it ends, such as 2031-01-01T20:00:00Z',
        required: true,
        field: 'closesAt',
      },
      opens: { value: 'INSTANT', help: 'when it begins; at once unless given', field: 'opensAt' },
      ...SPLIT_OPTIONS,
      ...KEY_OPTION,
    },
    run: async (api, args) => {
      if (args.text('key') !== undefined && args.text('opens') === undefined)
        throw new UsageError('--key needs --opens: "at once" is another instant at each repetition.');
      const body = {
        name: args.required('name'),
        sponsorId: args.required('sponsor'),
        totalAmount: args.required('total'),
        packetCount: args.number('packets')!,
        split: splitOf(args) ?? RANDOM,
        opensAt: args.text('opens') ?? new Date().toISOString(),
        closesAt: args.required('closes'),
      };
      return foundOne(await api.post('/v1/activities', { body, ...keyOf(args) }));
    },
  },
  {
    words: 'activities close',
    operands: ['ID'],
    help: 'close it now, and refund what nobody took',
    options: KEY_OPTION,
    run: async (api, args) =>
      foundOne(await api.post('/v1/activities/{id}/close', { path: { id: args.operand() }, ...keyOf(args) })),
  },
  {
    words: 'activities cancel',
    operands: ['ID'],
    help: 'cancel it before it opens, and refund the total',
    options: KEY_OPTION,
    run: async (api, args) =>
      foundOne(
        await api.post('/v1/activities/{id}/cancel', { path: { id: args.operand() }, ...keyOf(args) }),
      ),
  },
  {
    words: 'activities top-up',
    operands: ['ID'],
    help: 'add money and packets from the wallet of the sponsor',
    options: {
      amount: { value: 'AMOUNT', help: 'what the new packets hold together', required: true },
      packets: { value: 'N', help: 'how many packets', required: true, field: 'packetCount' },
      ...SPLIT_OPTIONS,
      ...KEY_OPTION,
    },
    run: async (api, args) => {
      const body = {
        amount: args.required('amount'),
        packetCount: args.number('packets')!,
        split: splitOf(args),
      };
      const path = { id: args.operand() };
      return foundOne(await api.post('/v1/activities/{id}/top-ups', { path, body, ...keyOf(args) }));
    },
  },
  {
    words: 'activities results',
    operands: ['ID'],
    help: 'who got what',
    options: { user: { value: 'USER', help: 'only the packet of a user', field: 'userId' }, ...PAGE_OPTIONS },
    run: async (api, args) => {
      const query = { userId: args.text('user'), ...pageOf(args) };
      const page = await api.get('/v1/activities/{id}/grabs', { path: { id: args.operand() }, query });
      return foundPage(page, ['redPacketId', 'userId', 'amount', 'currency', 'settlement', 'confirmedAt']);
    },
  },
  {
    words: 'activities reconcile',
    operands: ['ID'],
    help: 'the proof that its books agree',
    run: async (api, args) =>
      foundProof(await api.get('/v1/activities/{id}/reconciliation', { path: { id: args.operand() } })),
  },
];

/** Undefined when no option of the split is given. */
function splitOf(args: Arguments): Split | undefined {
  const [tiers, min, max] = [args.list('tier'), args.text('min'), args.text('max')];
  const isRandom = min !== undefined || max !== undefined;
  if ([tiers.length > 0, args.has('equal'), isRandom].filter(Boolean).length > 1)
    throw new UsageError('Split by --equal, by --tier, or by --min and --max.');
  if (tiers.length > 0) return { kind: 'tiers', tiers: tiers.map(tierOf) };
  if (args.has('equal')) return { kind: 'equal' };
  return isRandom ? { kind: 'random', min, max } : undefined;
}

function tierOf(text: string): Schema<'TierBody'> {
  const [, amount, count] = /^(.+)x(\d{1,9})$/.exec(text) ?? [];
  if (amount === undefined)
    throw new UsageError('--tier must be an amount, an x and a count, such as 8.88x10.');
  return { amount, count: Number(count) };
}

function foundProof(proof: Schema<'ReconciliationDto'>): Found {
  const { checks, ...figures } = proof;
  const text = `${fieldsOf(figures)}\n\n${tableOf(checks, ['holds', 'name'])}`;
  return { value: proof, text, isBad: proof.verdict !== 'balanced' };
}

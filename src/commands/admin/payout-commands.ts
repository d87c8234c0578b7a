import type { Schema } from '../../../libs/client';
import { type Command, KEY_OPTION, keyOf, PAGE_OPTIONS, pageOf } from './command';
import { foundOne, foundPage } from './views';

const ID = ['ID'];

export const payoutCommands: readonly Command[] = [
  {
    words: 'payouts list',
    help: 'money on its way out, newest first',
    options: {
      state: { value: 'STATE', help: 'only those in a state, such as unknown' },
      user: { value: 'USER', help: 'only those of a user', field: 'userId' },
      channel: { value: 'ID', help: 'only those through a channel', field: 'channelId' },
      ...PAGE_OPTIONS,
    },
    run: async (api, args) => {
      const filter = {
        state: args.text<Schema<'PayoutDto'>['state']>('state'),
        userId: args.text('user'),
        channelId: args.text('channel'),
      };
      const page = await api.get('/v1/payouts', { query: { ...filter, ...pageOf(args) } });
      return foundPage(page, [
        ...(['id', 'state', 'userId', 'amount', 'currency', 'channelId', 'externalId', 'createdAt'] as const),
      ]);
    },
  },
  {
    words: 'payouts show',
    operands: ID,
    help: 'one with its story: each attempt and answer',
    run: async (api, args) => foundOne(await api.get('/v1/payouts/{id}', { path: { id: args.operand() } })),
  },
  {
    words: 'payouts retry',
    operands: ID,
    help: 'ask the channel now what became of it; it is never paid again because of this',
    options: KEY_OPTION,
    run: async (api, args) =>
      foundOne(await api.post('/v1/payouts/{id}/retry', { path: { id: args.operand() }, ...keyOf(args) })),
  },
  {
    words: 'payouts resolve',
    operands: ID,
    help: 'say how one has ended that its channel never reports; a second person has to approve it',
    options: {
      outcome: { value: 'OUTCOME', help: 'paid or refused', required: true },
      evidence: { value: 'TEXT', help: 'what shows it', required: true },
      'last-sent-at': {
        value: 'INSTANT',
        help: 'with refused: lastSentAt of the payout before you gathered the evidence',
        field: 'lastSentAt',
      },
      'external-id': { value: 'ID', help: "the channel's name for the payment", field: 'externalId' },
      ...KEY_OPTION,
    },
    run: async (api, args) => {
      const body: Schema<'ResolvePayoutBody'> = {
        outcome: args.required('outcome') as Schema<'ResolvePayoutBody'>['outcome'],
        evidence: args.required('evidence'),
        lastSentAt: args.text('last-sent-at'),
        externalId: args.text('external-id'),
      };
      const path = { id: args.operand() };
      return foundOne(await api.post('/v1/payouts/{id}/resolve', { path, body, ...keyOf(args) }));
    },
  },
  {
    words: 'findings list',
    help: 'disagreements with channels, newest first',
    options: { state: { value: 'STATE', help: 'open or ended; open unless given' }, ...PAGE_OPTIONS },
    run: async (api, args) => {
      const query = { state: args.text<'open' | 'ended'>('state'), ...pageOf(args) };
      const page = await api.get('/v1/payout-findings', { query });
      return foundPage(page, ['id', 'channelId', 'payoutId', 'kind', 'detail', 'statementId', 'foundAt']);
    },
  },
  {
    words: 'findings end',
    operands: ID,
    help: 'record what was done about one; it moves no money',
    options: {
      resolution: { value: 'TEXT', help: 'what was found out and set right', required: true },
      ...KEY_OPTION,
    },
    run: async (api, args) => {
      const body = { resolution: args.required('resolution') };
      const path = { id: args.operand() };
      return foundOne(await api.post('/v1/payout-findings/{id}/end', { path, body, ...keyOf(args) }));
    },
  },
  {
    words: 'findings end-file',
    operands: ['STATEMENT'],
    help: 'end all that a wrong file has made, by the statementId of its findings; it moves no money',
    options: {
      resolution: { value: 'TEXT', help: 'what was wrong with the file, and what shows it', required: true },
      ...KEY_OPTION,
    },
    run: async (api, args) => {
      const body = { resolution: args.required('resolution') };
      const path = { id: args.operand() };
      return foundOne(
        await api.post('/v1/payout-statements/{id}/end-findings', { path, body, ...keyOf(args) }),
      );
    },
  },
];

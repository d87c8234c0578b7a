import { type Command, KEY_OPTION, keyOf, PAGE_OPTIONS, pageOf } from './command';
import { foundOne, foundPage } from './views';

const OWNER = ['USER'];

export const walletCommands: readonly Command[] = [
  {
    words: 'wallets show',
    operands: OWNER,
    help: 'balance, pending money and status of a wallet',
    run: async (api, args) =>
      foundOne(await api.get('/v1/wallets/{ownerId}', { path: { ownerId: args.operand() } })),
  },
  {
    words: 'wallets deposit',
    operands: OWNER,
    help: 'bring money from the outside world into a wallet',
    options: {
      amount: { value: 'AMOUNT', help: 'how much', required: true },
      reference: { value: 'TEXT', help: 'what the money is known as outside' },
      ...KEY_OPTION,
    },
    run: async (api, args) => {
      const body = { amount: args.required('amount'), reference: args.text('reference') };
      const path = { ownerId: args.operand() };
      return foundOne(await api.post('/v1/wallets/{ownerId}/deposits', { path, body, ...keyOf(args) }));
    },
  },
  {
    words: 'wallets freeze',
    operands: OWNER,
    help: 'take no more credits and deposits into it, and pay nothing from it',
    options: KEY_OPTION,
    run: async (api, args) => {
      const path = { ownerId: args.operand() };
      return foundOne(await api.post('/v1/wallets/{ownerId}/freeze', { path, ...keyOf(args) }));
    },
  },
  {
    words: 'wallets unfreeze',
    operands: OWNER,
    help: 'end that; its dead letters wait for a replay',
    options: KEY_OPTION,
    run: async (api, args) => {
      const path = { ownerId: args.operand() };
      return foundOne(await api.post('/v1/wallets/{ownerId}/unfreeze', { path, ...keyOf(args) }));
    },
  },
  {
    words: 'wallets entries',
    operands: OWNER,
    help: 'ledger lines of a wallet, newest first',
    options: {
      activity: { value: 'ID', help: 'only lines of an activity', field: 'activityId' },
      kind: { value: 'KIND', help: 'only deposit, fund, top-up, credit, void or refund' },
      from: { value: 'INSTANT', help: 'only lines of this moment and later' },
      to: { value: 'INSTANT', help: 'only lines before this moment' },
      ...PAGE_OPTIONS,
    },
    run: async (api, args) => {
      const page = await api.get('/v1/wallets/{ownerId}/entries', {
        path: { ownerId: args.operand() },
        query: {
          activityId: args.text('activity'),
          kind: args.text('kind'),
          from: args.text('from'),
          to: args.text('to'),
          ...pageOf(args),
        },
      });
      return foundPage(page, ['transferId', 'kind', 'amount', 'currency', 'activityId', 'reference', 'at']);
    },
  },
];

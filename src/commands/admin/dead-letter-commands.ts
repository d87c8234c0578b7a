import type { Schema } from '../../../libs/client';
import { type Command, KEY_OPTION, keyOf, PAGE_OPTIONS, pageOf } from './command';
import { foundOne, foundPage } from './views';

const ID = ['ID'];
const REASON = { reason: { value: 'TEXT', help: 'why, in words that are kept', required: true } } as const;

export const deadLetterCommands: readonly Command[] = [
  {
    words: 'dead-letters list',
    help: 'claims whose settlement gave up, newest first',
    options: {
      status: { value: 'STATUS', help: 'open, replayed, resolved or void; open unless given' },
      ...PAGE_OPTIONS,
    },
    run: async (api, args) => {
      const page = await api.get('/v1/dead-letters', {
        query: { status: args.text<Schema<'DeadLetterDto'>['status']>('status'), ...pageOf(args) },
      });
      return foundPage(page, [
        'id',
        'activityId',
        'userId',
        'amount',
        'currency',
        'reason',
        'status',
        'attempts',
      ]);
    },
  },
  {
    words: 'dead-letters replay',
    operands: ID,
    help: 'hand one back to settlement: it is paid exactly once',
    options: KEY_OPTION,
    run: async (api, args) =>
      foundOne(
        await api.post('/v1/dead-letters/{id}/replay', { path: { id: args.operand() }, ...keyOf(args) }),
      ),
  },
  {
    words: 'dead-letters replay-all',
    help: 'the same for all open ones that match, at most 1000 at a time',
    options: {
      activity: { value: 'ID', help: 'only those of an activity', field: 'activityId' },
      user: { value: 'USER', help: 'only those of a user', field: 'userId' },
      reason: { value: 'REASON', help: 'only wallet_frozen, settlement_failed or held' },
      ...KEY_OPTION,
    },
    run: async (api, args) => {
      const body: Schema<'ReplayBody'> = {
        activityId: args.text('activity'),
        userId: args.text('user'),
        reason: args.text('reason'),
      };
      return foundOne(await api.post('/v1/dead-letters/replay', { body, ...keyOf(args) }));
    },
  },
  {
    words: 'dead-letters resolve',
    operands: ID,
    help: 'end a case without a payment; the money stays in escrow',
    options: { ...REASON, ...KEY_OPTION },
    run: async (api, args) => {
      const path = { id: args.operand() };
      const body = { reason: args.required('reason') };
      return foundOne(await api.post('/v1/dead-letters/{id}/resolve', { path, body, ...keyOf(args) }));
    },
  },
  {
    words: 'dead-letters void',
    operands: ID,
    help: 'end it for good: the claim is never paid, and its money goes back to the sponsor',
    options: {
      ...REASON,
      status: { value: 'STATUS', help: 'resolved, to end one that was resolved before' },
      ...KEY_OPTION,
    },
    run: async (api, args) => {
      const voided = await api.post('/v1/dead-letters/{id}/void', {
        path: { id: args.operand() },
        body: { reason: args.required('reason'), status: args.text('status') },
        ...keyOf(args),
      });
      return foundOne(voided);
    },
  },
];

import type { Schema } from '../../../libs/client';
import { type Command, KEY_OPTION, keyOf, PAGE_OPTIONS, pageOf } from './command';
import { foundOne, foundPage } from './views';

const ID = ['ID'];

export const approvalCommands: readonly Command[] = [
  {
    words: 'approvals list',
    help: 'what waits for a second person, newest first',
    options: {
      status: { value: 'STATUS', help: 'pending, approved, rejected or expired; pending unless given' },
      ...PAGE_OPTIONS,
    },
    run: async (api, args) => {
      const query = { status: args.text<Schema<'ApprovalDto'>['status']>('status'), ...pageOf(args) };
      const page = await api.get('/v1/approvals', { query });
      return foundPage(page, [
        'id',
        'action',
        'subject',
        'amount',
        'currency',
        'askedBy',
        'expiresAt',
        'status',
      ]);
    },
  },
  {
    words: 'approvals show',
    operands: ID,
    help: 'all that was asked for',
    run: async (api, args) => foundOne(await api.get('/v1/approvals/{id}', { path: { id: args.operand() } })),
  },
  {
    words: 'approvals approve',
    operands: ID,
    help: 'do what somebody else has asked for',
    options: KEY_OPTION,
    run: async (api, args) =>
      foundOne(
        await api.post('/v1/approvals/{id}/approve', { path: { id: args.operand() }, ...keyOf(args) }),
      ),
  },
  {
    words: 'approvals reject',
    operands: ID,
    help: 'see to it that it is never done; it may be asked for again',
    options: KEY_OPTION,
    run: async (api, args) =>
      foundOne(await api.post('/v1/approvals/{id}/reject', { path: { id: args.operand() }, ...keyOf(args) })),
  },
];

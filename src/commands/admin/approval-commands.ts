import type { Command } from './command';
import { PAGE_OPTIONS } from './options';
import { request } from './request';

const STATUSES = ['pending', 'approved', 'rejected', 'expired'];

export const approvalCommands: readonly Command[] = [
  request('listApprovals', {
    call: 'approvals list',
    help: 'what waits for a second person, newest first',
    options: {
      status: { value: '<status>', help: 'pending unless given', choices: STATUSES },
      ...PAGE_OPTIONS,
    },
    columns: ['id', 'action', 'subject', 'amount', 'currency', 'askedBy', 'expiresAt', 'status'],
  }),
  request('readApproval', { call: 'approvals show <id>', help: 'all that was asked for' }),
  request('approveRequest', {
    call: 'approvals approve <id>',
    help: 'do what another person has asked for',
    asks: 'Do what request <id> asks for?',
  }),
  request('rejectRequest', {
    call: 'approvals reject <id>',
    help: 'reject it, so that it is never done; it may be asked for again',
    options: { reason: { value: '<text>', help: 'why, for the person who asked' } },
  }),
  request('listMyApprovals', {
    call: 'approvals mine',
    help: 'what you have asked for yourself, and what became of it, newest first',
    options: { status: { value: '<status>', help: 'all unless given', choices: STATUSES }, ...PAGE_OPTIONS },
    columns: ['id', 'action', 'subject', 'amount', 'currency', 'status', 'decidedBy', 'reason'],
  }),
];

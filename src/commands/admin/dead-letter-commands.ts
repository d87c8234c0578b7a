import type { Command } from './command';
import { type Options, PAGE_OPTIONS } from './options';
import { request } from './request';

const REASON_OPTION: Options = {
  reason: { value: '<text>', help: 'why, in words that are kept', required: true },
};

const FILTER_OPTIONS: Options = {
  activity: { value: '<id>', help: 'only those of an activity', field: 'activityId' },
  user: { value: '<user>', help: 'only those of a user', field: 'userId' },
  reason: {
    value: '<reason>',
    help: 'only those with a reason',
    choices: ['wallet_frozen', 'settlement_failed', 'held'],
  },
};

export const deadLetterCommands: readonly Command[] = [
  request('listDeadLetters', {
    call: 'dead-letters list',
    help: 'claims whose settlement gave up, or that staff hold, newest first',
    options: {
      status: {
        value: '<status>',
        help: 'open unless given',
        choices: ['open', 'replayed', 'resolved', 'void'],
      },
      ...FILTER_OPTIONS,
      ...PAGE_OPTIONS,
    },
    columns: ['id', 'claimId', 'activityId', 'userId', 'amount', 'currency', 'reason', 'status', 'attempts'],
  }),
  request('replayDeadLetter', {
    call: 'dead-letters replay <id>',
    help: 'hand one back to settlement: it is paid exactly once',
  }),
  request('replayDeadLetters', {
    call: 'dead-letters replay-all',
    help: 'the same for all open ones that match, at most 1000 at a time',
    options: FILTER_OPTIONS,
  }),
  request('resolveDeadLetter', {
    call: 'dead-letters resolve <id>',
    help: 'end a case without a payment; the money stays in escrow',
    options: REASON_OPTION,
  }),
  request('voidDeadLetter', {
    call: 'dead-letters void <id>',
    help: 'end it for good: the claim is never paid, and its money goes back to the sponsor',
    options: {
      ...REASON_OPTION,
      status: {
        value: '<status>',
        help: 'resolved, to end one that was resolved before',
        choices: ['open', 'resolved'],
      },
    },
    asks: 'Never pay the claim of dead letter <id>?',
  }),
  request('readClaim', { call: 'claims show <id>', help: 'the win, and what became of its payment' }),
  request('holdClaim', {
    call: 'claims hold <id>',
    help: 'keep a win from being paid, until it is released or declared void',
    options: REASON_OPTION,
  }),
  request('releaseClaim', { call: 'claims release <id>', help: 'let a win that is held be paid' }),
];

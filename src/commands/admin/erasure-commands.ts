import type { Command } from './command';
import { PAGE_OPTIONS } from './options';
import { request } from './request';

export const erasureCommands: readonly Command[] = [
  request('readStanding', {
    call: 'erasures standing <user>',
    help: 'what is under way for a person, and until when records are to be kept',
  }),
  request('requestErasure', {
    call: 'erasures request <user>',
    help: 'forget a person for good, once a second person approves it',
    asks: 'Forget <user> for good?',
  }),
  request('listErasures', {
    call: 'erasures list',
    help: 'people who are to be forgotten, and pseudonyms of those who were',
    options: PAGE_OPTIONS,
    columns: ['id', 'status', 'userId', 'pseudonym', 'requestedBy', 'requestedAt', 'doneAt', 'withdrawnAt'],
  }),
  request('readErasure', { call: 'erasures show <id>', help: 'what has become of a request' }),
  request('withdrawErasure', {
    call: 'erasures withdraw <id>',
    help: 'take back a request that has not begun: nobody is forgotten',
  }),
];

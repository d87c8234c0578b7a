import type { Command } from './command';
import type { Options } from './options';
import { request } from './request';

const SPONSOR_OPTION: Options = {
  sponsor: { value: '<user>', help: 'whose tickets they sign', field: 'sponsorId', required: true },
};

export const ticketKeyCommands: readonly Command[] = [
  request('listTicketKeys', {
    call: 'ticket-keys list',
    help: 'keys with which a sponsor signs tickets',
    options: SPONSOR_OPTION,
    columns: ['id', 'sponsorId', 'createdAt'],
  }),
  request('createTicketKey', {
    call: 'ticket-keys create',
    help: 'make a key; its secret is shown once',
    options: SPONSOR_OPTION,
  }),
  request('deleteTicketKey', {
    call: 'ticket-keys delete <id>',
    help: 'refuse its tickets from now on',
    asks: 'Refuse all tickets of key <id>?',
  }),
];

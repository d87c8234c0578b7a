import type { Command } from './command';
import { PAGE_OPTIONS } from './options';
import { request } from './request';

export const recordCommands: readonly Command[] = [
  request('listAuditLog', {
    call: 'audit list',
    help: 'what staff and sponsors did, newest first',
    options: {
      actor: { value: '<user>', help: 'only what this person did', field: 'actorId' },
      action: { value: '<action>', help: 'only this action, such as wallet.freeze' },
      day: { value: '<day>', help: 'only this day (UTC), such as 2031-02-03' },
      subject: { value: '<subject>', help: 'only what was done to it, such as wallet:shop' },
      ...PAGE_OPTIONS,
    },
    columns: ['id', 'at', 'actorId', 'via', 'action', 'subject', 'before', 'after', 'detail'],
  }),
  request('listQuarantinedEntries', {
    call: 'quarantine list',
    help: 'journal entries that could not be read and were put aside',
    options: PAGE_OPTIONS,
    columns: ['shard', 'entryId', 'flaw', 'fields', 'length'],
  }),
  request('readOverview', {
    call: 'overview',
    help: 'open work of the whole system, and recent corrections',
  }),
];

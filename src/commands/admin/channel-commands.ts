import type { Command } from './command';
import { CURRENCY_OPTION, type Option, type Options, PAGE_OPTIONS, wholeNumber } from './options';
import { request } from './request';

const number = (field: string, help: string): Option => ({
  value: '<n>',
  help,
  field: `profile.${field}`,
  parse: wholeNumber,
});

const limit = (field: string, help: string): Option => ({
  value: '<amount>',
  help,
  field: `profile.${field}`,
  canBeNone: true,
});

const PROFILE_OPTIONS: Options = {
  smallest: { value: '<amount>', help: 'the smallest payout, such as 1.00', field: 'profile.smallest' },
  largest: limit('largest', 'the largest payout, or none'),
  'per-user-per-day': limit('perUserPerDay', 'the most of a user in a day, or none'),
  'per-day': limit('perDay', 'the most of all users in a day, or none; further payouts wait'),
  'per-second': number('perSecond', 'calls to the URL in a second, by all workers together'),
  'in-flight': number('inFlight', 'calls to the URL at a time, by all workers together'),
  'key-lifetime-seconds': number('keyLifetimeSeconds', 'how long the receiver knows an id that was paid'),
  'quarantine-seconds': number('quarantineSeconds', 'how long not-found counts for nothing after a call'),
  'timeout-ms': number('timeoutMs', 'milliseconds that a call may take'),
  'gather-seconds': number('gatherSeconds', 'how long credits of rains wait for others of the user'),
  'time-zone': {
    value: '<zone>',
    help: 'where days begin, such as Asia/Shanghai',
    field: 'profile.timeZone',
  },
};

export const channelCommands: readonly Command[] = [
  request('listPayoutChannels', {
    call: 'channels list',
    help: 'where money can leave to',
    columns: ['id', 'name', 'url', 'currency', 'paused', 'createdAt'],
  }),
  request('createPayoutChannel', {
    call: 'channels create',
    help: 'add a channel; its secret is shown once',
    options: {
      name: { value: '<name>', help: 'what people read', required: true },
      to: {
        value: '<url>',
        help: 'what is called; unless given, its back end reads the payouts that wait',
        field: 'url',
      },
      ...CURRENCY_OPTION,
      ...PROFILE_OPTIONS,
      smallest: { ...PROFILE_OPTIONS.smallest!, required: true },
    },
  }),
  request('changePayoutChannel', {
    call: 'channels change <id>',
    help: 'change what is given, and keep everything else',
    options: {
      name: { value: '<name>', help: 'what people read' },
      to: { value: '<url>', help: 'what is called', field: 'url' },
      'same-books': { help: 'the new URL leads to the same books', sets: { sameBooks: true } },
      ...CURRENCY_OPTION,
      ...PROFILE_OPTIONS,
    },
  }),
  request('changePayoutChannel', {
    call: 'channels pause <id>',
    help: 'take no new payouts, and send nothing to its URL',
    body: { paused: true },
  }),
  request('changePayoutChannel', {
    call: 'channels resume <id>',
    help: 'end that, and every wait that the channel has asked for',
    body: { paused: false },
  }),
  request('listWaitingPayouts', {
    call: 'channels waiting <id>',
    help: 'payouts that its back end has to pay, oldest first',
    options: PAGE_OPTIONS,
    columns: ['id', 'state', 'userId', 'amount', 'currency', 'createdAt'],
  }),
  request('rotatePayoutChannelSecret', {
    call: 'channels rotate-secret <id>',
    help: 'make a new secret, which is shown once; the former one signs for another day',
    asks: 'Give channel <id> a new secret?',
  }),
  request('deletePayoutChannel', {
    call: 'channels delete <id>',
    help: 'delete it once all its payouts have ended',
    asks: 'Delete channel <id>?',
  }),
];

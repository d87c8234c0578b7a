import { counted, type Options, wholeNumber } from './options';

/** Options for the contents of packets, in creations and top-ups. */
export const SPLIT_OPTIONS: Options = {
  equal: {
    help: 'all packets hold the same; random amounts unless given',
    sets: { 'split.kind': 'equal' },
    conflicts: ['tier', 'min', 'max'],
  },
  tier: {
    value: '<amount>x<count>',
    help: 'as many packets of this amount',
    field: 'split.tiers',
    sets: { 'split.kind': 'tiers' },
    parse: counted('amount'),
    multiple: true,
    conflicts: ['min', 'max'],
  },
  min: {
    value: '<amount>',
    help: 'no packet holds less',
    field: 'split.min',
    sets: { 'split.kind': 'random' },
  },
  max: {
    value: '<amount>',
    help: 'no packet holds more',
    field: 'split.max',
    sets: { 'split.kind': 'random' },
  },
};

/** Options of when packets can be won. */
export const PACE_OPTIONS: Options = {
  even: {
    help: 'release packets evenly; all at once unless given',
    sets: { 'pace.kind': 'even' },
    conflicts: ['wave'],
  },
  'even-until': {
    value: '<instant>',
    help: 'release packets evenly until then',
    field: 'pace.until',
    sets: { 'pace.kind': 'even' },
    conflicts: ['wave'],
  },
  wave: {
    value: '<instant>x<count>',
    help: 'release as many packets then',
    field: 'pace.waves',
    sets: { 'pace.kind': 'waves' },
    parse: counted('at'),
    multiple: true,
  },
};

export const CHANNEL_OPTION: Options = {
  channel: {
    value: '<id>',
    help: 'pay credits out through this channel; they stay in wallets unless given',
    field: 'payout.channelId',
  },
  'payout-days': {
    value: '<n>',
    help: 'days over which the channel may spread the payouts',
    field: 'payout.days',
    parse: wholeNumber,
  },
};

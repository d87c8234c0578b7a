import { RAIN_OPTIONS, RANDOM } from './activity-commands';
import type { Command } from './command';
import { type Fields, type Options, PAGE_OPTIONS, wholeNumber } from './options';
import { request } from './request';

const TIMING_OPTIONS: Options = {
  rule: {
    value: '<rrule>',
    help: 'when it comes, such as FREQ=WEEKLY;BYDAY=FR',
    field: 'rrule',
    required: true,
  },
  zone: {
    value: '<zone>',
    help: 'where the clock hangs, such as Asia/Shanghai',
    field: 'timeZone',
    required: true,
  },
  start: {
    value: '<time>',
    help: 'the local time it counts from, such as 2031-02-07T20:00:00',
    required: true,
  },
  seconds: {
    value: '<n>',
    help: 'how long each activity is open',
    field: 'durationSeconds',
    required: true,
    parse: wholeNumber,
  },
  count: { value: '<n>', help: 'how often it comes', conflicts: ['until'], parse: wholeNumber },
  until: { value: '<instant>', help: 'when the last may open' },
};

const SERIES_OPTIONS: Options = {
  ...RAIN_OPTIONS,
  ...TIMING_OPTIONS,
  ahead: {
    value: '<hours>',
    help: 'how long before its opening each is created; 24 unless given',
    field: 'createAheadHours',
    parse: wholeNumber,
  },
};

const withSplit = (body: Fields): Fields => ({ split: RANDOM, ...body });

export const seriesCommands: readonly Command[] = [
  request('listSeries', {
    call: 'series list',
    help: 'activities that come again by a rule, newest first',
    options: {
      sponsor: { value: '<user>', help: 'only those of a sponsor', field: 'sponsorId' },
      'written-by': {
        value: '<user>',
        help: 'only those whose terms a person wrote last',
        field: 'writtenBy',
      },
      activity: { value: '<id>', help: 'only the one that an activity comes from', field: 'activityId' },
      status: { value: '<status>', help: 'only those in a state', choices: ['active', 'paused', 'ended'] },
      ...PAGE_OPTIONS,
    },
    columns: ['id', 'name', 'status', 'sponsorId', 'totalAmount', 'currency', 'rrule', 'timeZone', 'decided'],
  }),
  request('readSeries', { call: 'series show <id>', help: 'its terms, and when it comes next' }),
  request('previewSeries', {
    call: 'series preview',
    help: 'when it would open; nothing is created',
    options: TIMING_OPTIONS,
    changesNothing: true,
  }),
  request('createSeries', {
    call: 'series create',
    help: 'create an activity of these terms whenever the rule says so',
    options: SERIES_OPTIONS,
    completed: withSplit,
  }),
  request('changeSeries', {
    call: 'series change <id>',
    help: 'give what is not created yet other terms, all of them',
    options: SERIES_OPTIONS,
    completed: withSplit,
  }),
  request('pauseSeries', { call: 'series pause <id>', help: 'miss what opens until it is resumed' }),
  request('resumeSeries', { call: 'series resume <id>', help: 'create activities again' }),
  request('endSeries', {
    call: 'series end <id>',
    help: 'create no further activity',
    asks: 'End series <id> for good?',
  }),
  request('listOccurrences', {
    call: 'series occurrences <id>',
    help: 'what has become of each, newest first',
    options: PAGE_OPTIONS,
    columns: ['no', 'opensAt', 'status', 'activityId', 'missed'],
  }),
];

import { type ApiClient, createWithWord, type Schema } from '../../../libs/client';
import type { Command, Typed } from './command';
import { LOGO_OPTIONS, THEME_OPTIONS } from './look-options';
import { CURRENCY_OPTION, type Fields, type Options, PAGE_OPTIONS, UsageError, wholeNumber } from './options';
import { request } from './request';
import { CHANNEL_OPTION, PACE_OPTIONS, SPLIT_OPTIONS } from './split-options';

export const RANDOM: Schema<'CreateActivityBody'>['split'] = { kind: 'random' };

const SUM_OPTIONS: Options = {
  total: {
    value: '<amount>',
    help: 'the total of all packets, such as 500.00',
    field: 'totalAmount',
    required: true,
  },
  ...CURRENCY_OPTION,
  packets: {
    value: '<n>',
    help: 'how many packets',
    field: 'packetCount',
    required: true,
    parse: wholeNumber,
  },
};

const LIMIT_OPTIONS: Options = {
  'per-user': {
    value: '<n>',
    help: 'the most wins of a user, in total',
    field: 'limits.perUser',
    parse: wholeNumber,
  },
  'per-user-per-day': {
    value: '<n>',
    help: 'the most wins of a user in a day',
    field: 'limits.perUserPerDay',
    parse: wholeNumber,
  },
  'limit-group': {
    value: '<name>',
    help: 'count wins together with those in other activities of this group',
    field: 'limits.group',
  },
  'time-zone': { value: '<zone>', help: 'where days begin, such as Asia/Shanghai', field: 'limits.timeZone' },
};

/** Options of who may know of it; everyone unless given. */
const AUDIENCE_OPTIONS: Options = {
  public: {
    help: 'everyone may know of it and tap; the default',
    sets: { 'audience.kind': 'public' },
    conflicts: ['by-link', 'for', 'password'],
  },
  'by-link': {
    help: 'only users with its share code may',
    sets: { 'audience.kind': 'link' },
    conflicts: ['for', 'password'],
  },
  for: {
    value: '<user>',
    help: 'only this user may, and others named in the same way',
    field: 'audience.userIds',
    sets: { 'audience.kind': 'people' },
    multiple: true,
    conflicts: ['password'],
  },
  password: {
    value: '<text>',
    help: 'only users who know it may',
    field: 'audience.password',
    sets: { 'audience.kind': 'password' },
  },
};

/** The options of a rain's money, split, pace and audience; its window is not among them. */
export const RAIN_OPTIONS: Options = {
  name: { value: '<name>', help: 'what people read', required: true },
  sponsor: { value: '<user>', help: 'whose wallet pays', field: 'sponsorId', required: true },
  ...SUM_OPTIONS,
  ...SPLIT_OPTIONS,
  ...PACE_OPTIONS,
  ...LIMIT_OPTIONS,
  admission: {
    value: '<who>',
    help: 'who may tap: all, or those with a ticket of the sponsor',
    choices: ['open', 'ticket'],
  },
  ...AUDIENCE_OPTIONS,
  ...CHANNEL_OPTION,
  rehearsal: {
    help: 'rain play money, which needs no deposit and is worth nothing',
    sets: { rehearsal: true },
  },
  'best-luck': { help: 'show the largest packets after the end', sets: { showsBestLuck: true } },
  ...THEME_OPTIONS,
  parts: { value: '<n>', help: 'parts of Redis that share its packets', parse: wholeNumber },
  'taps-per-second': {
    value: '<n>',
    help: 'the highest rate of taps expected, which determines the parts',
    field: 'expectedTapsPerSecond',
    parse: wholeNumber,
  },
};

const CREATE_OPTIONS: Options = {
  ...RAIN_OPTIONS,
  opens: { value: '<instant>', help: 'when it begins; at once unless given', field: 'opensAt' },
  closes: {
    value: '<instant>',
    help: 'when it ends, within 366 days, such as 2031-01-01T20:00:00Z',
    field: 'closesAt',
    required: true,
  },
  commitment: { value: '<hash>', help: 'an answer of commitments create; asked for unless given, or --key' },
  'sponsor-seed': {
    value: '<hex>',
    help: '32 random bytes of your own; drawn and shown unless --commitment is given, or --key',
    field: 'sponsorSeed',
  },
};

export const activityCommands: readonly Command[] = [
  request('readActivitiesNow', {
    call: 'activities now',
    help: 'the largest that run, and those that open next',
  }),
  request('listActivities', {
    call: 'activities list',
    help: 'activities, newest first',
    options: {
      phase: {
        value: '<phase>',
        help: 'only those in a phase',
        choices: ['scheduled', 'open', 'sold-out', 'closed', 'settled'],
      },
      sponsor: { value: '<user>', help: 'only those of a sponsor', field: 'sponsorId' },
      name: { value: '<text>', help: 'only those whose name contains it' },
      ...PAGE_OPTIONS,
    },
    columns: ['id', 'name', 'phase', 'sponsorId', 'totalAmount', 'currency', 'packetCount', 'closesAt'],
  }),
  request('readActivity', { call: 'activities show <id>', help: 'one activity' }),
  request('previewSplit', {
    call: 'activities preview',
    help: 'what packets would hold; nothing is created',
    options: { ...SUM_OPTIONS, ...SPLIT_OPTIONS, ...CHANNEL_OPTION },
    completed: (body) => ({ split: RANDOM, ...body }),
    changesNothing: true,
  }),
  request('createActivity', {
    call: 'activities create',
    help: 'fund an activity from the wallet of its sponsor, and split it',
    options: CREATE_OPTIONS,
    completed: openingNow,
    sent: withWord,
  }),
  request('checkPreflight', {
    call: 'activities preflight <id>',
    help: 'whether it is ready to open; exit code 1 when it should not',
    isBad: ({ verdict }) => verdict === 'stop',
  }),
  request('readActivityProgress', {
    call: 'activities progress <id>',
    help: 'taps by their outcome, packets left, and the oldest unpaid win',
  }),
  request('readActivityHistory', {
    call: 'activities history <id>',
    help: 'taps by their answers, how long they took, wins and credits, by minute',
  }),
  request('topUpActivity', {
    call: 'activities top-up <id>',
    help: 'add money and packets from the wallet of the sponsor',
    options: {
      amount: { value: '<amount>', help: 'the total of the new packets, such as 50.00', required: true },
      ...CURRENCY_OPTION,
      packets: SUM_OPTIONS.packets!,
      ...SPLIT_OPTIONS,
      ...PACE_OPTIONS,
      'payout-days': { ...CHANNEL_OPTION['payout-days']!, field: 'payoutDays' },
    },
  }),
  request('extendActivity', {
    call: 'activities extend <id>',
    help: 'let it close later; it never closes earlier',
    options: { closes: CREATE_OPTIONS.closes! },
  }),
  request('changeActivityLook', {
    call: 'activities look <id>',
    help: 'change how its page looks; terms never change',
    options: { ...THEME_OPTIONS, ...LOGO_OPTIONS },
  }),
  request('readActivityTemplate', {
    call: 'activities template <id>',
    help: 'its terms; with --json, a body for activities create --body',
  }),
  request('readActivityAudience', {
    call: 'activities audience <id>',
    help: 'whom it is for: its share code, the users it names, or its password',
  }),
  request('rotateShareCode', {
    call: 'activities rotate-code <id>',
    help: 'give it a new share code; links with the former one end',
    asks: 'End all links to activity <id>?',
  }),
  request('closeActivity', {
    call: 'activities close <id>',
    help: 'close it now, and refund what nobody took',
    asks: 'Close activity <id> now, for good?',
  }),
  request('cancelActivity', {
    call: 'activities cancel <id>',
    help: 'cancel it before it opens, and refund the total',
    asks: 'Cancel activity <id> for good?',
  }),
  request('listGrabs', {
    call: 'activities results <id>',
    help: 'who got what',
    options: {
      user: { value: '<user>', help: 'only the packet of a user', field: 'userId' },
      packet: { value: '<id>', help: 'only this packet, if it is won', field: 'redPacketId' },
      ...PAGE_OPTIONS,
    },
    columns: ['redPacketId', 'userId', 'amount', 'currency', 'settlement', 'confirmedAt'],
  }),
  request('readBestLuck', {
    call: 'activities best-luck <id>',
    help: 'its largest packets, as everyone sees them after the end',
    columns: ['user', 'amount'],
  }),
  request('readFairness', {
    call: 'activities fairness <id>',
    help: 'its commitments to packets, and after the end the seeds',
    options: PAGE_OPTIONS,
  }),
  request('reconcileActivity', {
    call: 'activities reconcile <id>',
    help: 'the proof that its books agree; exit code 1 when they do not',
    isBad: ({ verdict }) => verdict !== 'balanced',
  }),
  request('listWaitingUsers', {
    call: 'waiting-list list <activity>',
    help: 'users who wait for a packet, the first in line first',
    options: PAGE_OPTIONS,
    columns: ['position', 'userId'],
  }),
];

function openingNow(body: Fields, { values }: Typed): Fields {
  if (values.key !== undefined && body.opensAt === undefined)
    throw new UsageError('--key needs --opens: "at once" is another instant at each repetition.');
  return { split: RANDOM, opensAt: new Date().toISOString(), ...body };
}

const ALONE = 'The server draws alone: no word of the sponsor was brought.';
const NOT_WITH_IT = 'The server has not drawn with this word: it is not in the terms that were published.';

/**
 * Brings a word that was drawn for it, and shows it, unless the body has one. A repetition with the same key
 * could not bring the same again.
 */
async function withWord(
  api: ApiClient,
  body: Fields,
  { values: { key } }: Typed,
): Promise<{ body: unknown }> {
  const plan = body as Schema<'CreateActivityBody'>;
  const isOwn = key !== undefined || plan.commitment !== undefined || plan.sponsorSeed !== undefined;
  if (isOwn) {
    const { body: created } = await api.createActivity(plan, { key: key as string | undefined });
    return { body: plan.sponsorSeed === undefined ? { ...created, warning: ALONE } : created };
  }
  const { body: created, word, isWordInTerms } = await createWithWord(api, plan);
  const notWithIt = isWordInTerms === false ? NOT_WITH_IT : undefined;
  const warning = word ? notWithIt : ALONE;
  return { body: { ...created, ...word, ...(warning && { warning }) } };
}

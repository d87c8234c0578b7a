import type { Schema } from '../../../libs/client';
import type { Command } from './command';
import { type Options, PAGE_OPTIONS } from './options';
import { request } from './request';
import { recordText, tableOf } from './views';

const RESOLUTION_OPTION: Options = {
  resolution: { value: '<text>', help: 'what was found out and corrected', required: true },
};

export const payoutCommands: readonly Command[] = [
  request('listPayouts', {
    call: 'payouts list',
    help: 'money on its way out, newest first',
    options: {
      state: {
        value: '<state>',
        help: 'only those in a state',
        choices: [
          ...['review', 'reserved', 'sending', 'unknown', 'processing'],
          ...['needs-user', 'paid', 'refused', 'returned'],
        ],
      },
      user: { value: '<user>', help: 'only those of a user', field: 'userId' },
      channel: { value: '<id>', help: 'only those through a channel', field: 'channelId' },
      ...PAGE_OPTIONS,
    },
    columns: ['id', 'state', 'userId', 'amount', 'currency', 'channelId', 'externalId', 'createdAt'],
  }),
  request('readPayout', {
    call: 'payouts show <id>',
    help: 'one with its story: when it took each step, and why',
    shows: storyText,
  }),
  request('retryPayout', {
    call: 'payouts retry <id>',
    help: 'ask the channel now what became of it; it is never paid again because of this',
  }),
  request('resolvePayout', {
    call: 'payouts resolve <id>',
    help: 'say how one has ended that its channel never reports; a second person has to approve it',
    options: {
      outcome: { value: '<outcome>', help: 'how it ended', choices: ['paid', 'refused'], required: true },
      evidence: { value: '<text>', help: 'what shows it', required: true },
      'last-sent-at': {
        value: '<instant>',
        help: 'with refused: lastSentAt of the payout before you gathered the evidence',
        field: 'lastSentAt',
      },
      'external-id': { value: '<id>', help: "the channel's name for the payment", field: 'externalId' },
    },
  }),
  request('listPayoutFindings', {
    call: 'findings list',
    help: 'disagreements with channels, newest first',
    options: {
      state: { value: '<state>', help: 'open unless given', choices: ['open', 'ended'] },
      channel: { value: '<id>', help: 'only those with a channel', field: 'channelId' },
      ...PAGE_OPTIONS,
    },
    columns: ['id', 'channelId', 'payoutId', 'kind', 'detail', 'statementId', 'owner', 'foundAt'],
  }),
  request('ownPayoutFinding', {
    call: 'findings own <id>',
    help: 'take one on, and replace any previous owner',
  }),
  request('endPayoutFinding', {
    call: 'findings end <id>',
    help: 'record what was done about one; it moves no money',
    options: RESOLUTION_OPTION,
  }),
  request('endFindingsOfStatement', {
    call: 'findings end-file <statement>',
    help: 'end all that a wrong file has made, by the statementId of its findings; it moves no money',
    options: RESOLUTION_OPTION,
    asks: 'End all findings of file <statement>?',
  }),
];

function storyText({ steps, findings, ...payout }: Schema<'PayoutStoryDto'>): string {
  const story = steps.map(({ at, state, detail }) => ({ at, step: state, why: detail }));
  return [
    recordText(payout),
    tableOf(story, ['at', 'step', 'why']),
    ...(findings.length > 0 ? [recordText({ findings })] : []),
  ].join('\n\n');
}

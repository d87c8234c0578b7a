/**
 * What is played again where Redis is more than one server: regular expressions for the paths of files. `npm test` plays some
 * of it, `npm run test:cluster` all. Left out is what has no Redis, and what needs the one server itself: its clock, its disk,
 * its memory, its death. What corresponds to that in a cluster is tried by test/cluster and test/faults.
 *
 * `some` are files that take a few seconds each. Programs on a cluster, with users who tap, webhooks and events, are in `npm test`
 * by test/cluster.
 */
const NO_REDIS = 'confirm|credit|dead-letters|late-taps|ledger|passing-errors|poison|user-ids';
const RAINS =
  'ended-rain|forgotten-keys|hogging|killed-closer|load-on-demand|many-activities|rain|top-up|user-ids|void-claim';

const ON_CLUSTER = {
  all: [
    'test/dispenser/(?!full-disk|memory-full)',
    `test/settlement/(?!clocks|${NO_REDIS})`,
    'test/notification/',
    'test/webhook/.*spec',
    `test/rain/(${RAINS})\\.spec`,
  ],
  some: [
    'test/dispenser/(closing|grab|release|waiting)\\.spec',
    'test/settlement/(ending|void-claims|waitlist)\\.spec',
    'test/notification/publishing\\.spec',
  ],
};

const BEHIND_SENTINEL = {
  all: [
    'test/dispenser/(closing|grab|waiting)\\.spec',
    'test/settlement/(ending|waitlist)\\.spec',
    'test/rain/rain\\.spec',
    'test/notification/publishing\\.spec',
  ],
  some: ['test/dispenser/grab\\.spec'],
};

module.exports = { BEHIND_SENTINEL, ON_CLUSTER };

/**
 * Files that `npm run test:all` runs again with more than one Redis server: regular expressions for
 * their paths. Files without Redis are left out, and so are files about the one server itself: its
 * clock, disk, memory and death. test/cluster and test/faults test what corresponds to that in a
 * cluster.
 */
const NO_REDIS = 'confirm|credit|dead-letters|late-taps|ledger|passing-errors|poison|user-ids';
const RAINS = 'ended-rain|load-on-demand|rain';

const ON_CLUSTER = [
  'test/dispenser/(?!full-disk|memory-full)',
  `test/settlement/(?!clocks|${NO_REDIS})`,
  'test/notification/.*\\.spec',
  'test/webhook/.*spec',
  `test/rain/(${RAINS})\\.spec`,
];

const BEHIND_SENTINEL = [
  'test/dispenser/(closing|grab|waiting)\\.spec',
  'test/settlement/(ending|waitlist)\\.spec',
  'test/rain/rain\\.spec',
  'test/notification/publishing\\.spec',
];

module.exports = { BEHIND_SENTINEL, ON_CLUSTER };

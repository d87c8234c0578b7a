/**
 * Regular expressions for the files that `npm run test:all` runs again with more than one Redis server.
 * Files about a single server, or about Postgres and channels, are left out: test/cluster and test/faults
 * cover these in a cluster.
 */
const NO_REDIS =
  'bounded-lists|calls|confirm|credit|dead-letters|late-taps|ledger|locked-rows|packet-batches|' +
  'partitions|passing-errors|payout-clocks|payout-days|poison|sending|statements|stepped-postgres|user-ids';
const RAINS = 'ended-rain|load-on-demand|rain';

const ON_CLUSTER = [
  'test/dispenser/(?!full-disk|memory-full)',
  `test/settlement/(?!clocks|${NO_REDIS})`,
  'test/notification/.*\\.spec',
  'test/webhook/.*spec',
  `test/rain/(${RAINS})(\\.slow)?\\.spec`,
];

const BEHIND_SENTINEL = [
  'test/dispenser/(closing|grab|waiting\\.slow)\\.spec',
  'test/settlement/(ending|waitlist)\\.spec',
  'test/rain/rain(\\.slow)?\\.spec',
  'test/notification/publishing\\.spec',
];

module.exports = { BEHIND_SENTINEL, ON_CLUSTER };

const { default: Sequencer } = require('@jest/test-sequencer');

/** Small files that take long. Files that share an installation only import its cases. */
const LONG = [
  'test/web/pages.slow',
  'test/rain/api.spec',
  'test/rain/programs',
  'test/rain/rain.spec',
  'test/rain/taps.spec',
  'test/settlement/sending',
  'test/reconciliation/verification',
  'test/model/',
  'test/rain/upgrade',
  'test/settlement/locked-rows',
  'test/notification/notification',
  'test/webhook/webhook',
  'test/harness/local-engines',
];

/** Starts with the largest files, because a clean checkout does not know durations. */
class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const long = LONG.flatMap((name) => sorted.filter(({ path }) => path.includes(name)));
    return [...long, ...sorted.filter((test) => !long.includes(test))];
  }
}

module.exports = LongestFirst;

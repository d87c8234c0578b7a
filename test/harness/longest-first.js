const { default: Sequencer } = require('@jest/test-sequencer');

/** Small files that take long. */
const LONG = [
  'test/web/pages.slow',
  'test/model/',
  'test/rain/upgrade',
  'test/settlement/locked-rows',
  'test/notification/events',
  'test/notification/waitlist',
  'test/harness/local-engines',
  'test/notification/push-once',
];

/**
 * Starts with the largest files, because a clean checkout knows no durations. A small file that
 * takes long would otherwise run alone at the end.
 */
class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const long = LONG.flatMap((name) => sorted.filter(({ path }) => path.includes(name)));
    return [...long, ...sorted.filter((test) => !long.includes(test))];
  }
}

module.exports = LongestFirst;

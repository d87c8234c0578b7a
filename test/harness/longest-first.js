const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that take long although they are small. */
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
 * A clean checkout knows no durations, so Jest begins with the largest files. One that is small and takes long would run
 * alone at the end.
 */
class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const long = LONG.flatMap((name) => sorted.filter(({ path }) => path.includes(name)));
    return [...long, ...sorted.filter((test) => !long.includes(test))];
  }
}

module.exports = LongestFirst;

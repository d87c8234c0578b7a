import fc from 'fast-check';
import { RainModel } from './rain-model';
import { expectAllPaid } from './rain-proof';
import { creation, smallCreation, steps, stepsOfThoseWhoWait } from './rain-steps';
import { RainUnderTest } from './rain-under-test';

/** `MODEL_RUNS=1000` for a night; `MODEL_REPLAY='{"seed":…,"path":"…","replayPath":"…"}'` for what a failure printed, with `-t`. */
const RUNS = Number(process.env.MODEL_RUNS || 60);
const { replayPath, ...REPLAY } = JSON.parse(process.env.MODEL_REPLAY || '{}') as ReplayOf;
const STEPS_MAX = 30;

type ReplayOf = { seed?: number; path?: string; replayPath?: string };

/** Enough for all of these to happen hundreds of times, or at least dozens of times. */
const SEEN = [
  'won',
  'already',
  'sold-out',
  'closed',
  'not-open',
  'reserved',
  'unavailable',
  'paid',
  'buried',
  'top-up',
];
const SEEN_OF_THOSE_WHO_WAIT = ['place', 'nothing to wait for', 'served', 'won while waiting'];

let real: RainUnderTest;

beforeAll(async () => {
  real = await RainUnderTest.start();
});

beforeEach(() => real.tally.counts.clear());

afterAll(() => real.stop());

it.each([
  { story: 'grabs, crashes, amnesia, closers and operators', beginnings: creation, steps, seen: SEEN },
  {
    story: 'those who wait',
    beginnings: smallCreation,
    steps: stepsOfThoseWhoWait,
    seen: SEEN_OF_THOSE_WHO_WAIT,
  },
])(
  'keeps its promise through any story of $story',
  async ({ beginnings, steps, seen }) => {
    const story = fc.commands(steps, { maxCommands: STEPS_MAX, size: 'max', replayPath });
    await fc.assert(
      fc.asyncProperty(beginnings, story, async (beginning, story) => {
        await real.reset();
        const model = new RainModel();
        await beginning.run(model, real);
        await fc.asyncModelRun(() => ({ model, real }), story);
        await expectAllPaid(model, real);
      }),
      { numRuns: RUNS, ...REPLAY },
    );
    if (RUNS >= 50 && !REPLAY.path)
      expect([...real.tally.counts.keys()]).toEqual(expect.arrayContaining(seen));
  },
  60_000 + RUNS * 5_000,
);

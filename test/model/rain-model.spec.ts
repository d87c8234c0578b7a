import fc from 'fast-check';
import { RainModel } from './rain-model';
import { expectAllPaid } from './rain-proof';
import { creation, steps } from './rain-steps';
import { RainUnderTest } from './rain-under-test';

/** `MODEL_RUNS=1000` for a night; `MODEL_REPLAY='{"seed":…,"path":"…","replayPath":"…"}'` for what a failure printed. */
const RUNS = Number(process.env.MODEL_RUNS || 60);
const { replayPath, ...REPLAY } = JSON.parse(process.env.MODEL_REPLAY || '{}') as ReplayOf;
const STEPS_MAX = 30;

type ReplayOf = { seed?: number; path?: string; replayPath?: string };

/** Enough for all of these to happen hundreds of times, or dozens at least. */
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

let real: RainUnderTest;

beforeAll(async () => {
  real = await RainUnderTest.start();
});

afterAll(() => real.stop());

it(
  'keeps its promise through any story of grabs, crashes, amnesia, closers and operators',
  async () => {
    const story = fc.commands(steps, { maxCommands: STEPS_MAX, size: 'max', replayPath });
    await fc.assert(
      fc.asyncProperty(creation, story, async (beginning, story) => {
        await real.reset();
        const model = new RainModel();
        await beginning.run(model, real);
        await fc.asyncModelRun(() => ({ model, real }), story);
        await expectAllPaid(model, real);
      }),
      { numRuns: RUNS, ...REPLAY },
    );
    if (RUNS >= 50 && !REPLAY.path)
      expect([...real.tally.counts.keys()]).toEqual(expect.arrayContaining(SEEN));
  },
  60_000 + RUNS * 5_000,
);

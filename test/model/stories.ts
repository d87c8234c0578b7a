import fc from 'fast-check';
import { RainModel } from './rain-model';
import { expectAllPaid } from './rain-proof';
import type { Step } from './rain-steps';
import { RainUnderTest } from './rain-under-test';

declare global {
  /** Set by the Jest project; see jest-projects.js. */
  var tellsManyStories: boolean | undefined;
}

/**
 * The stories are the same each time. `MODEL_RUNS=1000` runs other stories for a night;
 * `MODEL_REPLAY='{"seed":…,"path":"…","replayPath":"…"}'` replays the story that a failure printed.
 */
const { MODEL_RUNS, MODEL_REPLAY } = process.env;
const RUNS = Number(MODEL_RUNS || (globalThis.tellsManyStories ? 16 : 2));
const SEED = MODEL_RUNS ? {} : { seed: 1 };
const { replayPath, ...REPLAY } = JSON.parse(MODEL_REPLAY || '{}') as ReplayOf;
/** The arguments of `fc.assert` for stories about other subjects. */
export const storyOptions = { numRuns: RUNS, ...SEED, ...REPLAY };
const STEPS_MAX = 30;
const SETUP_MS = 60_000;
/** A limit against hanging only: a story takes about a second. */
const RUN_MS = 60_000;

type ReplayOf = { seed?: number; path?: string; replayPath?: string };

export interface Stories {
  readonly beginnings: fc.Arbitrary<Step>;
  readonly steps: fc.Arbitrary<Step>[];
  readonly seen: readonly string[];
  readonly share?: number;
}

/** Tells the system and its model the same stories, and compares them after every step. */
export function keepsItsPromise({ beginnings, steps, seen, share = 1 }: Stories): void {
  const numRuns = Math.ceil(RUNS * share);
  let real: RainUnderTest;

  beforeAll(async () => {
    real = await RainUnderTest.start();
  });

  afterAll(() => real.stop());

  const live = async (beginning: Step, story: Iterable<Step>): Promise<void> => {
    await real.reset();
    const model = new RainModel();
    await beginning.run(model, real);
    await fc.asyncModelRun(() => ({ model, real }), story);
    await expectAllPaid(model, real);
  };

  it(
    'keeps its promise through any story',
    async () => {
      const stories = fc.commands(steps, { maxCommands: STEPS_MAX, size: 'max', replayPath });
      await fc.assert(fc.asyncProperty(beginnings, stories, live), { numRuns, ...SEED, ...REPLAY });
      if (RUNS >= 36 && !REPLAY.path)
        expect([...real.tally.counts.keys()]).toEqual(expect.arrayContaining([...seen]));
    },
    SETUP_MS + numRuns * RUN_MS,
  );
}

import { startPostgres, type SteppedClock } from '../../src/dev/engines';
import { Books } from './books';
import { Dispensing } from './dispensing';
import { steppedClock } from './engines';
import { migrate } from './prepared-postgres';
import { rain, useRain } from './shared-books';
import { WholeRain } from './whole-rain';

/** The clock that the tests of a spec file set; undefined on a host where none can be set. */
export let clock: SteppedClock | undefined;

/** Shares a rain with engines on this clock. */
export function shareSteppedRain(start: (clock: SteppedClock) => Promise<WholeRain>): void {
  beforeAll(async () => {
    clock = await steppedClock();
    if (clock) useRain(await start(clock));
  });
  afterAll(async () => {
    await rain?.stop();
    clock?.remove();
  });
}

/** Tests nothing on a host where no clock can be set; the reason was printed. */
export function test(name: string, run: (clock: SteppedClock) => Promise<void>): void {
  it(name, async () => clock && (await run(clock)));
}

interface Stepping {
  readonly settings?: NodeJS.ProcessEnv;
  /** Redis also has this clock, not that of the host. */
  readonly redisToo?: boolean;
}

/** Starts on a Postgres of its own, which has this clock. */
export async function steppedRain(
  clock: SteppedClock,
  { settings = {}, redisToo = false }: Stepping = {},
): Promise<WholeRain> {
  const localDir = process.env.LOCAL_DIR || '.local';
  const [postgres, redis] = await Promise.all([
    startPostgres({ localDir, durable: false, clock }),
    Dispensing.start(undefined, redisToo ? { clock } : {}),
  ]);
  await migrate(postgres.url);
  const books = await Books.of(postgres.url, settings, true, redis);
  return WholeRain.of(books, redis, async () => {
    await books.close();
    await postgres.stop();
  });
}

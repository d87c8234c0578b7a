import { startPostgres, type SteppedClock } from '../../src/dev/engines';
import { Books } from './books';
import { Dispensing } from './dispensing';
import { migrate } from './prepared-postgres';
import { WholeRain } from './whole-rain';

interface Stepping {
  readonly settings?: NodeJS.ProcessEnv;
  /** Redis has the clock as well, and not that of the host. */
  readonly redisToo?: boolean;
}

/** Starts on a Postgres of its own, whose clock tests set. */
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

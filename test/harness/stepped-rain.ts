import { startPostgres, type SteppedClock } from '../../src/dev/engines';
import { Books } from './books';
import { Dispensing } from './dispensing';
import { migrate } from './prepared-postgres';
import { WholeRain } from './whole-rain';

interface Stepping {
  readonly settings?: NodeJS.ProcessEnv;
  /** True if Redis uses this clock as well, instead of the host's. */
  readonly redisToo?: boolean;
}

/** Starts on a Postgres of its own, whose clock the test sets. */
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

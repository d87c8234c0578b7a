import { type Books, openBooks } from './books';
import { Dispensing } from './dispensing';
import { WholeRain } from './whole-rain';

/** The services that all tests of a spec file share. */
export let books: Books;
export let dispensing: Dispensing;
export let rain: WholeRain;

export function shareBooks(settings: NodeJS.ProcessEnv = {}): void {
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ books, close } = await openBooks(settings));
  });
  afterAll(() => close());
}

/** Shares books with a Redis, so that channels can be called, even at addresses of this host. */
export function shareCallingBooks(settings: NodeJS.ProcessEnv = {}): void {
  let close: () => Promise<void>;
  beforeAll(async () => {
    dispensing = await Dispensing.start();
    const calling = { WEBHOOK_PRIVATE_ADDRESSES: 'true', ...settings };
    ({ books, close } = await openBooks(calling, true, dispensing));
  });
  afterAll(async () => {
    await close();
    await dispensing.stop();
  });
}

/** With `beforeEach` and `afterEach`, each test has a rain of its own. */
export function shareRain(begin = beforeAll, end = afterAll): void {
  begin(() => startRain());
  end(() => rain.stop());
}

export async function startRain(options: { patient?: boolean } = {}): Promise<void> {
  useRain(await WholeRain.start(options));
}

/** Shares a rain that the caller has started and stops. */
export function useRain(started: WholeRain): void {
  rain = started;
  ({ books, dispensing } = rain);
}

/** How long a claim has been waiting is, without a worker, how long the tests have taken. */
const ABOUT_TIME = 'I11';

/**
 * Proves the books after the last test. The ledger keeps every transfer, so the fault of an earlier test still shows.
 * Call this before {@link shareBooks}, which closes the books.
 * @param except invariants that these tests break on purpose
 */
export function proveBooks({ except = [] }: { except?: readonly string[] } = {}): void {
  afterAll(() => expectProven([...except, ABOUT_TIME]));
}

export async function expectProven(except: readonly string[] = []): Promise<void> {
  expect((await books.broken()).filter((id) => !except.includes(id))).toEqual([]);
}

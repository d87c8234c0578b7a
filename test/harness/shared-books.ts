import { type Books, openBooks } from './books';
import type { Dispensing } from './dispensing';
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

/** With `beforeEach` and `afterEach`, each test has a rain of its own. */
export function shareRain(begin = beforeAll, end = afterAll): void {
  begin(() => startRain());
  end(() => rain.stop());
}

export async function startRain(options: { patient?: boolean } = {}): Promise<void> {
  rain = await WholeRain.start(options);
  ({ books, dispensing } = rain);
}

/** Must come before {@link shareBooks}, whose hook closes the books: hooks run in the order of definition. */
export function proveBooks(after = afterEach): void {
  after(async () => {
    expect(await books.broken()).toEqual([]);
  });
}

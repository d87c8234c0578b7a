import { randomUUID } from 'node:crypto';
import { WonCodeRepository } from '../../src/extensions/code-pool/won-code.repository';
import { WonCodeService } from '../../src/extensions/code-pool/won-code.service';
import { Renaming } from '../../src/extensions/erasure/renaming';
import { ReceivedTotalRepository } from '../../src/extensions/sender/received-total.repository';
import { ReceivedTotals } from '../../src/extensions/sender/received-totals';
import { waitFor } from '../harness/engines';
import { books, rain, shareRain } from '../harness/shared-books';
import { broken } from '../reconciliation/verifying';
import { erase, requestErasure } from './erasing';
import { forgetInRedis, payAll, playedRain, winCode } from './person';
import { columnsWith } from './search';

shareRain();

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** A request that reads something about a person, and later writes under their id. */
interface Late {
  readonly ask: () => Promise<unknown>;
  /** The object whose method `writes` does that. */
  readonly writer: Methods;
  readonly writes: string;
}

async function shownCode(id: string): Promise<Late> {
  const { redPacketId } = await winCode(rain, id);
  return {
    ask: () => books.serviceOf(WonCodeService).show(id, redPacketId),
    ...{ writer: WonCodeRepository.prototype as unknown as Methods, writes: 'show' },
  };
}

async function countedPackets(id: string): Promise<Late> {
  await playedRain(rain, {}, [id]);
  await payAll(rain, id);
  return {
    ask: () => books.serviceOf(ReceivedTotals).of(id),
    ...{ writer: ReceivedTotalRepository.prototype as unknown as Methods, writes: 'keep' },
  };
}

/** Prepares someone who is to be forgotten. */
async function person(live: (id: string) => Promise<Late>): Promise<Late & { readonly id: string }> {
  const id = `zoe-${randomUUID()}`;
  const late = await live(id);
  await forgetInRedis(rain);
  await requestErasure(id);
  return { id, ...late };
}

describe.each([
  ['the first showing of a code', shownCode],
  ['the sum of what somebody has received', countedPackets],
] as const)('%s, read under the id of a person', (_, live) => {
  it('is not written under it once they are forgotten', async () => {
    const { id, ask, writer, writes } = await person(live);
    const { [writes]: write } = writer;
    let done: number | undefined;
    const spy = jest.spyOn(writer, writes).mockImplementationOnce(async function (this: unknown, ...args) {
      done = await erase();
      return write!.apply(this, args);
    });
    await ask().catch(() => undefined);
    spy.mockRestore();
    expect(done).toBe(1);
    expect(await columnsWith(books.dataSource, id)).toEqual([]);
    expect(await broken()).toEqual([]);
  });

  it('is not written under it while they are being forgotten', async () => {
    const { id, ask } = await person(live);
    const { renameFree } = Renaming.prototype as unknown as Methods;
    let late: Promise<unknown> | undefined;
    const spy = jest.spyOn(Renaming.prototype, 'renameFree').mockImplementationOnce(async function (
      this: Renaming,
    ) {
      late = ask().catch(() => undefined);
      const waits = async () => (await books.blocked()).length > 0;
      await Promise.race([late, waitFor(waits, { what: 'a statement that waits for the erasure' })]);
      await renameFree!.call(this);
    });
    expect(await erase()).toBe(1);
    spy.mockRestore();
    await late;
    expect(await columnsWith(books.dataSource, id)).toEqual([]);
    expect(await broken()).toEqual([]);
  });
});

it('a code that was shown before its winner was forgotten remains shown, to the pseudonym', async () => {
  const { id, ask } = await person(shownCode);
  await ask();
  expect(await erase()).toBe(1);
  const [row] = await books.dataSource.query<[{ user: string }]>(
    `select user_id as user from code_showing order by first_shown_at desc limit 1`,
  );
  expect(row.user).toMatch(/^erased-/);
  expect(await columnsWith(books.dataSource, id)).toEqual([]);
  expect(await broken()).toEqual([]);
});

import type { Rain } from './seal.repository';

const PACKETS_AT_ONCE = 50_000;

/** Yields ids of activities, page by page: many activities with few packets, or one with many. */
export async function* rainPages(
  read: (afterId: string) => Promise<readonly Rain[]>,
  afterId = '0',
): AsyncGenerator<string[]> {
  for (let after = afterId; ;) {
    const rains = await read(after);
    if (rains.length === 0) return;
    after = rains.at(-1)!.id;
    yield* inPages(rains);
  }
}

function* inPages(rains: readonly Rain[]): Generator<string[]> {
  let page: string[] = [];
  let packets = 0;
  for (const { id, size } of rains) {
    if (page.length > 0 && packets + size > PACKETS_AT_ONCE) {
      yield page;
      [page, packets] = [[], 0];
    }
    page.push(id);
    packets += size;
  }
  yield page;
}

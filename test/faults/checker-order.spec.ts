import { SEEN_WITHIN_MS, soldOutInRedis } from './checker-order';
import { ClientLog } from './client-log';
import type { Asked, Look } from './redis-order';
import type { Committed, Witness } from './witness';

const SENT_AT_MS = 1_000;
const ANSWERED_AT_MS = 1_020;
const FULL = { soldOut: false, known: 9, standing: 'open, 5 packets free, 0 waiting' };

describe('the answer "sold-out" in a rain over two parts', () => {
  const empty = (atMs: number): Look => ({ atMs, soldOut: true, known: 4, standing: '' });

  /** The two parts of activity 7 are in the last and the first of eight shards. */
  function doubtsAbout(
    draws: readonly Look[],
    looks: Readonly<Record<number, readonly Look[]>>,
    { ofParts = true, committed = [] }: { ofParts?: boolean; committed?: Committed[] } = {},
  ): string[] {
    const asked: Asked[] = draws.map((draw) => ({ ...draw, ofParts }));
    const told = { status: 200, code: '-1', reason: 'sold-out' };
    const request = {
      userId: 'u1',
      activityId: '7',
      sentAtMs: SENT_AT_MS,
      answeredAtMs: ANSWERED_AT_MS,
      told,
    };
    return soldOutInRedis({
      log: new ClientLog([request]),
      activityId: '7',
      parts: 2,
      stepsClock: false,
      committed,
      monitor: {
        wasBlind: () => false,
        order: { askedFor: () => asked, looksAt: (_: string, shard: number) => looks[shard] ?? [] },
      },
    } as unknown as Witness);
  }

  it('is right if each part was seen empty no earlier than shortly before the question', () => {
    const draw = empty(SENT_AT_MS + 5);
    expect(doubtsAbout([draw], { 7: [draw], 0: [empty(SENT_AT_MS - SEEN_WITHIN_MS)] })).toEqual([]);
  });

  it('is wrong if a part was last seen empty too long ago, or never', () => {
    const draw = empty(SENT_AT_MS + 5);
    const late = empty(SENT_AT_MS - SEEN_WITHIN_MS - 1);
    for (const looks of [[late], [empty(ANSWERED_AT_MS + 2)], []])
      expect(doubtsAbout([draw], { 7: [draw], 0: looks })).toEqual([
        'u1 heard sold-out when part 1 had not been asked',
      ]);
  });

  it('is wrong if a part had packets at every look', () => {
    const draw = empty(SENT_AT_MS + 5);
    expect(doubtsAbout([draw], { 7: [draw], 0: [{ ...FULL, atMs: SENT_AT_MS }] })).toEqual([
      'u1 heard sold-out when part 1 had: open, 5 packets free, 0 waiting',
    ]);
  });

  it('is wrong if no draw had asked for the user in the meantime, or only one that did not know of parts', () => {
    const looks = { 7: [empty(SENT_AT_MS)], 0: [empty(SENT_AT_MS)] };
    const fault = 'u1 heard sold-out when Redis had not been asked';
    expect(doubtsAbout([empty(SENT_AT_MS - 1)], looks)).toEqual([fault]);
    expect(doubtsAbout([empty(SENT_AT_MS)], looks, { ofParts: false })).toEqual([fault]);
  });

  it('is wrong if Postgres had already committed packets that Redis did not know', () => {
    const draw = empty(SENT_AT_MS + 5);
    const looks = { 7: [draw], 0: [empty(SENT_AT_MS)] };
    const about = (atMs: number, packets: number) =>
      doubtsAbout([draw], looks, { committed: [{ atMs, packets }] });
    const inTimeMs = SENT_AT_MS - SEEN_WITHIN_MS - 1;
    expect(about(inTimeMs, 9)).toEqual(['u1 heard sold-out when Redis knew 8 of 9 committed packets']);
    expect([...about(inTimeMs, 8), ...about(inTimeMs + 1, 9)]).toEqual([]);
  });
});

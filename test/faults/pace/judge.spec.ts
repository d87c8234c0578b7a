import { redPacketId } from '../../../libs/red-packet-id';
import { homeOf } from '../../../libs/redis-scripts';
import type { Drawn } from './journal-files';
import { type PacedRain, PaceJudge } from './judge';
import type { TapAnswer } from './taps';

const RAIN: PacedRain = {
  id: '7',
  kind: 'waves',
  parts: 2,
  packets: 4,
  releases: [
    { atMs: 1_000, count: 2 },
    { atMs: 9_000, count: 2 },
  ],
  topUp: { count: 1, sentAtMs: 5_000, answeredAtMs: 5_100 },
};

/** Each of two parts has one packet of each wave, and the first part that of the top-up. */
const WINS: readonly Drawn[] = [
  { part: 0, atMs: 1_000 },
  { part: 1, atMs: 1_200 },
  { part: 0, atMs: 5_050 },
  { part: 0, atMs: 9_000 },
  { part: 1, atMs: 9_001 },
].map((win, i) => ({ ...win, activityId: RAIN.id, packetNo: i + 1, userId: `w${i}` }));

const userOf = (part: number): string =>
  Array.from({ length: 64 }, (_, i) => `u${i}`).find((id) => homeOf(RAIN.id, id, RAIN.parts) === part)!;

const notYet = (part: number, sentAtMs: number, answeredAtMs: number, nextAtMs: number): TapAnswer => ({
  activityId: RAIN.id,
  userId: userOf(part),
  sentAtMs,
  answeredAtMs,
  status: 200,
  code: '-1',
  reason: 'not-yet',
  nextAt: new Date(nextAtMs).toISOString(),
});

const SOUND = notYet(0, 1_100, 1_110, 9_400);

const faults = (answers: readonly TapAnswer[], wins = WINS): string[] =>
  new PaceJudge(RAIN, WINS, wins).judge([SOUND, ...answers], []).faults;

const winAt = (index: number, atMs: number): Drawn[] =>
  WINS.map((win, i) => (i === index ? { ...win, atMs } : win));

describe('the judge of a pace', () => {
  it('accepts wins at the very instants of their releases', () => {
    expect(faults([notYet(1, 1_150, 1_200, 9_000)])).toEqual([]);
  });

  it('complains about a win a millisecond before its release, in all and in its part', () => {
    expect(faults([], winAt(3, 8_999))).toEqual([
      'waves: 4 packets were won when 3 were released',
      'waves: in part 0 3 packets were won when 2 were released',
    ]);
    expect(faults([], winAt(1, 999))).toHaveLength(2);
  });

  it('complains about a user who was sent away while a packet of their part was there', () => {
    expect(faults([notYet(1, 1_000, 1_199, 9_000)])).toEqual([
      `waves: ${userOf(1)} was sent away when 0 of 1 released packets of part 1 were won`,
    ]);
    expect(faults([notYet(0, 5_100, 5_200, 9_000)], winAt(2, 5_300))).toHaveLength(1);
  });

  it.each([8_999, 14_000])('complains about a user who is to come at %s', (nextAtMs) => {
    expect(faults([notYet(0, 1_100, 1_110, nextAtMs)])).toEqual([
      `waves: ${userOf(0)} was asked to come ${nextAtMs - 9_000} ms after the next release`,
    ]);
  });

  it('complains about "not-yet" after the last release, and "sold-out" before it or before the last win', () => {
    const soldOut = (sentAtMs: number, answeredAtMs: number) => ({
      ...notYet(0, sentAtMs, answeredAtMs, 0),
      reason: 'sold-out',
    });
    expect(faults([notYet(0, 9_001, 9_002, 9_003)])).toHaveLength(1);
    expect(faults([soldOut(8_000, 8_999)])).toHaveLength(1);
    expect(faults([soldOut(9_000, 9_000)])).toHaveLength(1);
    expect(faults([soldOut(9_000, 9_001)])).toEqual([]);
  });

  it('complains about a win that was drawn before its tap was sent', () => {
    const won = (sentAtMs: number): TapAnswer => ({
      activityId: RAIN.id,
      userId: 'w0',
      sentAtMs,
      answeredAtMs: 1_002,
      status: 200,
      code: '0',
      redPacketId: redPacketId(RAIN.id, 1),
    });
    expect(faults([won(1_000)])).toEqual([]);
    expect(faults([won(1_001)])).toHaveLength(1);
  });

  it('complains about a claim that no journal has', () => {
    expect(faults([], WINS.slice(0, -1))).toEqual(['waves: 1 wins are in no journal']);
  });
});

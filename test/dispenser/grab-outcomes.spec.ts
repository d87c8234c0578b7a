import { packetsUpTo, rains, shareRains, WINDOWS } from '../harness/dispensing';

const HOUR_MS = 3_600_000;
const HELD = { no: 7, amountMinor: 777n };

const STATUSES = ['missing', 'loading', 'open', 'closing', 'closed'] as const;

interface Situation {
  readonly status: (typeof STATUSES)[number];
  readonly window: keyof typeof WINDOWS;
  readonly holds: boolean;
  readonly packetLeft: boolean;
  /** Packets were announced that are not loaded yet. */
  readonly awaits?: boolean;
  /** The packet that is left is not released yet. */
  readonly heldBack?: boolean;
}

/** The order of precedence: the first line that applies is the answer. */
const PRECEDENCE: [string, (situation: Situation) => boolean][] = [
  ['not-loaded', ({ status }) => ['missing', 'loading', 'closing'].includes(status)],
  ['already', ({ holds }) => holds],
  ['closed', ({ status }) => status === 'closed'],
  ['over', ({ window }) => window === 'over'],
  ['not-open', ({ window }) => window === 'ahead'],
  ['not-loaded', ({ packetLeft, awaits = false, heldBack = false }) => (!packetLeft || heldBack) && awaits],
  ['not-yet', ({ heldBack = false }) => heldBack],
  ['sold-out', ({ packetLeft }) => !packetLeft],
  ['won', () => true],
];

const LOADED: Situation[] = STATUSES.flatMap((status) =>
  (['ahead', 'now', 'over'] as const).flatMap((window) =>
    [true, false].flatMap((holds) =>
      [true, false].map((packetLeft) => ({ status, window, holds, packetLeft })),
    ),
  ),
);
const HELD_BACK = LOADED.filter(({ packetLeft }) => packetLeft).map((situation) => ({
  ...situation,
  heldBack: true,
}));
const SITUATIONS: Situation[] = [LOADED, HELD_BACK].flatMap((situations) => [
  ...situations,
  ...situations.map((situation) => ({ ...situation, awaits: true })),
]);

const table = SITUATIONS.map((situation) => ({
  ...situation,
  told: PRECEDENCE.find(([, applies]) => applies(situation))![0],
}));

describe('the outcome of a grab', () => {
  shareRains();

  it('is tested for every line of the precedence', () => {
    expect(new Set(table.map(({ told }) => told))).toEqual(new Set(PRECEDENCE.map(([kind]) => kind)));
  });

  it.each(table.flatMap((row) => [1, 2].map((taps) => ({ ...row, taps }))))(
    'is $told: status $status, window $window, user holds a packet: $holds, packet left: $packetLeft, awaits others: $awaits, held back: $heldBack, taps: $taps',
    async ({ told, taps, ...situation }) => {
      const activityId = await arrange(situation);
      const before = await rains.readStanding(activityId);
      const [outcome] = await rains.draw(activityId, ...Array.from({ length: taps }, () => 'ann'));

      expect(outcome?.kind).toBe(told);
      if (outcome?.kind === 'already') expect(outcome.packet).toEqual({ ...HELD, confirmed: true });
      const taken = told === 'won' ? 1 : 0;
      expect(await rains.readStanding(activityId)).toMatchObject({
        status: before.status,
        packetsLeft: before.packetsLeft - taken,
        held: before.held + taken,
      });
    },
  );

  it('names the opening that was loaded when the rain is not open', async () => {
    const window = await rains.window(HOUR_MS, 2 * HOUR_MS);
    const activityId = await rains.rain(packetsUpTo(1), window);
    expect(await rains.draw(activityId, 'ann')).toEqual([{ kind: 'not-open', opensAtMs: window.opensAtMs }]);
  });

  async function arrange({
    status,
    window,
    holds,
    packetLeft,
    awaits,
    heldBack,
  }: Situation): Promise<string> {
    const activityId = rains.newActivity();
    const times = await rains.window(...WINDOWS[window]);
    const last = { atMs: times.closesAtMs - 1, count: 1 };
    const pace = { kind: 'waves', waves: [last] } as const;
    const limits = heldBack ? { ...times, paced: [{ pace, firstNo: 1, parts: 1 }] } : times;
    const packets = packetLeft ? packetsUpTo(1) : [];
    await rains.load(activityId, packets, limits);
    if (holds) await rains.loadClaims(activityId, [{ activityId, userId: 'ann', packet: HELD }]);
    if (awaits) await rains.loading.announce(rains.keys.placeOf(activityId), packets.length + 1);
    if (status === 'missing') await rains.contents.forget(rains.keys.placeOf(activityId));
    if (status === 'open' || status === 'closed') await rains.open(activityId, packets.length);
    if (status === 'closing' || status === 'closed') await rains.close(activityId, 'any-time', limits);
    return activityId;
  }
});

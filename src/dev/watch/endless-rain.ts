import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient, type Schema } from '../../../libs/client';
import { openDemoActivity } from '../local/demo-activity';

const PLAN = { sponsorId: 'demo-sponsor', totalAmount: '4000', packetCount: 1_000 };
const TAPS_PER_SECOND = 30;
/** Of ten taps, this many are by new people. */
const NEWCOMERS = 8;
const TICK_MS = 100;
/** Milliseconds between two rains, and between two attempts. */
const PAUSE_MS = 5_000;
const AGAIN_MS = 500;

type Activity = Schema<'ActivityDto'>;

export class EndlessRain {
  private readonly over = new AbortController();
  private readonly tapping = new Set<Promise<void>>();
  private users = 0;

  constructor(
    private readonly operator: ApiClient,
    private readonly clientOf: (user: string) => ApiClient,
  ) {
    // Every waiting tap listens to the signal while a part is broken.
    setMaxListeners(0, this.over.signal);
  }

  /** @param first is open already */
  async run(first: Activity, tapsPerSecond = TAPS_PER_SECOND): Promise<void> {
    for (let activity = first; !this.isOver; activity = await this.next(activity)) {
      await this.tapUntilSoldOut(activity, tapsPerSecond);
      await this.rest(PAUSE_MS);
    }
    await Promise.all(this.tapping);
  }

  open(): Promise<Activity> {
    return this.untilDone(() => openDemoActivity(this.operator, PLAN)) as Promise<Activity>;
  }

  stop(): void {
    this.over.abort();
  }

  private get isOver(): boolean {
    return this.over.signal.aborted;
  }

  private async tapUntilSoldOut({ id }: Activity, tapsPerSecond: number): Promise<void> {
    let isSoldOut = false;
    const perTick = (tapsPerSecond * TICK_MS) / 1000;
    while (!isSoldOut && !this.isOver) {
      for (let tap = 0; tap < perTick; tap++)
        this.track(this.tap(id).then((answer) => (isSoldOut ||= answer === 'sold-out')));
      await this.rest(TICK_MS);
    }
  }

  private async tap(id: string): Promise<string | undefined> {
    const isNew = Math.random() * 10 < NEWCOMERS;
    const user = this.clientOf(`fan-${isNew ? ++this.users : Math.ceil(Math.random() * this.users)}`);
    const answer = await this.untilDone(() => user.grabPacket(id));
    return answer && 'reason' in answer ? answer.reason : undefined;
  }

  private async next({ id }: Activity): Promise<Activity> {
    if (this.isOver) return { id } as Activity;
    const next = await this.open();
    await this.untilDone(() => this.operator.closeActivity(id));
    return next;
  }

  private async untilDone<T>(ask: () => Promise<T>): Promise<T | undefined> {
    while (!this.isOver) {
      try {
        return await ask();
      } catch {
        await this.rest(AGAIN_MS * (1 + Math.random()));
      }
    }
    return undefined;
  }

  private track(tap: Promise<unknown>): void {
    const ended: Promise<void> = tap.then(
      () => void this.tapping.delete(ended),
      () => void this.tapping.delete(ended),
    );
    this.tapping.add(ended);
  }

  private async rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.over.signal }).catch(() => undefined);
  }
}

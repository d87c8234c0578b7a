import {
  type ActivityKeys,
  type ApiClient,
  ApiProblem,
  type FeedEvent,
  type Hurdle,
  type Line,
  type LineListener,
  patiently,
  pause,
  type ProblemCode,
  type Schema,
} from '../../../libs/client';
import { isOfCodes } from '../kit/money';
import { CLOSED_PURSE, type Notes, Purse, type PurseView, type Wallet } from '../kit/purse';
import { ServerClock } from '../kit/server-clock';

export type Activity = Schema<'ActivityDto'>;
export type WaitingPlace = Schema<'WaitingPlaceDto'>;

export interface Win {
  readonly amount: string;
  readonly redPacketId: string;
  readonly settlement: Schema<'WonPacketDto'>['settlement'];
  /** The user had the packet before they tapped. */
  readonly isOld: boolean;
}

/** Each is an answer of the API. */
export type Stage =
  | { readonly at: 'loading' | 'asking' | 'joining'; readonly hurdle?: Hurdle }
  | { readonly at: 'signed-out' | 'open' | 'closed' | 'limit' }
  | { readonly at: 'unknown'; readonly password?: PasswordTry }
  | { readonly at: 'scheduled'; readonly opensAtMs: number }
  /** More packets are to come: the page taps again at `nextAtMs`. */
  | { readonly at: 'not-yet'; readonly nextAtMs: number }
  | { readonly at: 'won'; readonly win: Win }
  | { readonly at: 'sold-out'; readonly place?: WaitingPlace; readonly isFull?: boolean }
  | { readonly at: 'refused'; readonly code?: ProblemCode };

/** The outcome of the last password: it is being tried, it opened nothing, or there were too many for now. */
export type PasswordTry = 'asking' | 'wrong' | { readonly againInSeconds: number };

/** The code that a packet gives, or why it is not shown yet. */
export interface WonCode {
  readonly redPacketId: string;
  /** With the name of its pool. */
  readonly shown?: Pick<Schema<'WonCodeDto'>, 'code' | 'poolName'>;
  readonly hurdle?: Hurdle;
  /** It can no longer be shown. */
  readonly isGone?: boolean;
}

export interface View {
  readonly stage: Stage;
  readonly activity?: Activity;
  readonly wallet?: Wallet;
  readonly purse: PurseView;
  /** In a rain of codes, once the packet is credited. */
  readonly code?: WonCode;
  /** With it, others see an activity that only users with its link may know of. */
  readonly shareCode?: string;
  readonly isLive: boolean;
}

/** The view before anything is known of the player. */
export const NOTHING_KNOWN = { purse: CLOSED_PURSE, isLive: false };

/** The contents of the session, from the app around the page. */
interface Papers extends Notes {
  readonly ticket: string | undefined;
  readonly keys: ActivityKeys;
  usePassword(password: string): void;
  requestTicket(): void;
  requestToken(): void;
}

const CONFIRMATION_MS = 1_000;
const SETTLEMENT_LOOK_MS = 5_000;
/** The clock of the page may be a little ahead. */
const TAP_AGAIN_MS_MIN = 250;
/** The longest timer of a browser. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** One user in one rain, independent of how it is shown. */
export class Player implements LineListener {
  readonly clock = new ServerClock();
  readonly purse: Purse;
  private view: View = { stage: { at: 'loading' }, ...NOTHING_KNOWN };
  private readonly over = new AbortController();
  /** The place in the waiting list. */
  private place?: WaitingPlace;
  /** A refresh found no packet, so one in later news was not theirs when they came. */
  private cameWithout = false;
  private timer?: ReturnType<typeof setTimeout>;
  /** The currency of this rain, unless it is the default, whose wallet is read before the rain is known. */
  private currency?: string;

  constructor(
    readonly api: ApiClient,
    private readonly line: Line,
    private readonly activityId: string,
    private readonly onView: (view: View) => void,
    private readonly session: Papers,
  ) {
    this.purse = new Purse(
      api,
      {
        over: this.over.signal,
        show: (purse) => this.show({ purse }),
        onMoved: () => this.readWallet().catch(() => undefined),
        onSignedOut: () => this.onSignedOut(),
        currency: () => this.currency,
      },
      session,
    );
  }

  start(): void {
    void this.refresh();
    void this.line.listen(this.activityId, this, this.over.signal);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.over.abort();
  }

  /** The page is seen again: its WebSocket may have died while the phone slept. */
  onFront(): void {
    void this.line.check();
    void this.refresh();
  }

  /** The whole current state, whatever news was missed. */
  async refresh(): Promise<void> {
    await this.guarded('loading', async () => {
      const [activity, packet] = await Promise.all([
        this.api.readActivity(this.activityId),
        this.myPacket(),
        this.readWallet(),
        this.purse.look(),
      ]);
      if (activity.currency !== this.view.wallet?.currency) {
        this.currency = activity.currency;
        await this.readWallet();
      }
      this.show({ activity, shareCode: await this.shareCodeOf(activity) });
      if (activity.admission === 'ticket' && this.session.ticket === undefined) this.session.requestTicket();
      if (packet) return this.hold({ ...packet, isOld: this.isOld });
      this.cameWithout = true;
      // An open rain does not need the clock, and a slow network does not need its requests.
      if (activity.phase === 'scheduled') await this.clock.sync(this.api, this.activityId);
      if (!this.isAsking && !this.hasWon) this.enter(activity);
    });
  }

  /** Asks until there is a final answer. */
  async grab(): Promise<void> {
    if (this.view.stage.at !== 'open' && this.view.stage.at !== 'not-yet') return;
    let attempts = 0;
    await this.guarded('asking', () => this.tap(attempts++ > 0));
  }

  /** Asks once: each wrong password counts. To anyone who may not know of the activity, it does not exist. */
  async tryPassword(password: string): Promise<void> {
    const tell = (outcome: PasswordTry) => this.stand({ at: 'unknown', password: outcome });
    tell('asking');
    try {
      await this.api.readActivity(this.activityId, { password, signal: this.over.signal });
      this.session.usePassword(password);
    } catch (error) {
      if (!(error instanceof ApiProblem)) return this.refuse(error);
      const { status, code, retryAfterSeconds } = error;
      if (status === 401) return this.onSignedOut();
      if (status === 404) return tell('wrong');
      if (code !== 'audience.too_many_passwords') return this.refuse(error);
      tell({ againInSeconds: retryAfterSeconds ?? 60 });
    }
  }

  async joinWaitingList(): Promise<void> {
    if (this.view.stage.at !== 'sold-out') return;
    await this.guarded('joining', async () => {
      this.place = await this.api.joinWaitlist(this.activityId, { ticket: this.session.ticket });
      this.stand({ at: 'sold-out', place: this.place });
    });
  }

  async bestLuck(): Promise<readonly Schema<'LuckDto'>[]> {
    return (await this.api.readBestLuck(this.activityId)).items;
  }

  onConnection(isLive: boolean): void {
    const isBack = isLive && !this.view.isLive && this.view.activity !== undefined;
    this.show({ isLive });
    if (isBack) void this.refresh();
  }

  onEvent(news: FeedEvent): void {
    const { event, data } = news;
    if (event === 'resync') return void this.refresh();
    if ('payoutId' in data) return this.hearOfPayout(news);
    if (event === 'wallet.credited') void this.readWallet().catch(() => undefined);
    if (data.activityId !== this.activityId) return;
    if ('redPacketId' in data) return this.hearOfPacket(event, data);
    // The end tells a winner nothing new except who had the best luck.
    if (!this.isAsking && (!this.hasWon || this.view.activity?.showsBestLuck)) void this.refresh();
  }

  private hearOfPacket(event: string, { redPacketId, amount }: Schema<'PacketEventDto'>): void {
    const settlement = event === 'wallet.credited' ? 'credited' : 'pending';
    this.hold({ redPacketId, amount, settlement, isOld: this.isOld });
  }

  private hearOfPayout(news: FeedEvent): void {
    this.purse.onNews(news);
    const { stage } = this.view;
    if (stage.at === 'won') void this.lookForMoney(stage.win);
    else void this.readWallet().catch(() => undefined);
  }

  /** @param isRepeated the first answer was lost or a reservation, so it may have won */
  private async tap(isRepeated: boolean): Promise<void> {
    for (; ; isRepeated = true) {
      const answer = await this.line.grab(this.activityId, this.session.ticket, () => (isRepeated = true));
      if (answer.code !== '2') return this.take(answer, isRepeated);
      this.stand({ at: 'asking', hurdle: 'reserved' });
      await pause(CONFIRMATION_MS, this.over.signal);
    }
  }

  private async take(answer: Exclude<Schema<'GrabDto'>, { code: '2' }>, isRepeated: boolean): Promise<void> {
    if (answer.code !== '-1') {
      // A packet may be given before the tap arrives.
      const isOld = answer.code === '1' && !isRepeated && this.place === undefined;
      return this.hold({ ...answer, settlement: 'pending', isOld });
    }
    if (answer.reason === 'closed') return this.stand({ at: 'closed' });
    if (answer.reason === 'sold-out') return this.stand({ at: 'sold-out' });
    if (answer.reason === 'limit') return this.stand({ at: 'limit' });
    if (answer.reason === 'not-open' || !this.clock.isSet) await this.clock.sync(this.api, this.activityId);
    if (answer.reason === 'not-yet') return this.tapAgainAt(Date.parse(answer.nextAt!));
    this.countDown(Date.parse(answer.opensAt!));
  }

  private enter({ phase, opensAt }: Activity): void {
    if (phase === 'scheduled') return this.countDown(Date.parse(opensAt));
    if (phase === 'open' && this.view.stage.at === 'not-yet') return;
    if (phase === 'open') return this.stand({ at: 'open' });
    // A user who already waits gets the same place again.
    if (phase === 'sold-out') return this.stand({ at: 'sold-out', place: this.place });
    this.stand({ at: 'closed' });
  }

  private countDown(opensAtMs: number): void {
    this.stand({ at: 'scheduled', opensAtMs });
    this.timer = setTimeout(() => this.stand({ at: 'open' }), this.leftMs(opensAtMs));
  }

  private tapAgainAt(nextAtMs: number): void {
    this.stand({ at: 'not-yet', nextAtMs });
    this.timer = setTimeout(() => void this.grab(), Math.max(TAP_AGAIN_MS_MIN, this.leftMs(nextAtMs)));
  }

  private leftMs(atMs: number): number {
    return Math.min(Math.max(0, atMs - this.clock.nowMs()), TIMER_MS_MAX);
  }

  /** The arrival of the money is pushed. When the push is lost, the page asks by itself. */
  private hold(win: Win): void {
    const { stage } = this.view;
    const isPaid = stage.at === 'won' && stage.win.settlement !== 'pending';
    // An answer may be older than news.
    if (isPaid && win.settlement === 'pending') return;
    this.stand({ at: 'won', win });
    if (win.settlement === 'pending')
      this.timer = setTimeout(() => void this.lookForMoney(win), SETTLEMENT_LOOK_MS);
    if (win.settlement === 'credited' && isOfCodes(this.view.activity?.currency))
      void this.readCode(win.redPacketId);
  }

  /** Asks until the code is there. It is the same on every visit. */
  private async readCode(redPacketId: string): Promise<void> {
    if (this.view.code?.redPacketId === redPacketId) return;
    const show = (code: Omit<WonCode, 'redPacketId'>) => this.show({ code: { redPacketId, ...code } });
    show({});
    try {
      const ask = () => this.api.readMyCode(redPacketId, { patient: false });
      show({
        shown: await patiently(ask, { signal: this.over.signal, onHurdle: (hurdle) => show({ hurdle }) }),
      });
    } catch (error) {
      const { status, code } = error instanceof ApiProblem ? error : {};
      if (status === 401) return this.onSignedOut();
      // The next look at the packet asks again.
      if (code === 'code.not_credited') return this.show({ code: undefined });
      show({ isGone: true });
    }
  }

  private async lookForMoney(win: Win): Promise<void> {
    const found = await this.myPacket().catch(() => undefined);
    const { stage } = this.view;
    if (stage.at === 'won' && stage.win === win)
      this.hold({ ...win, settlement: found?.settlement ?? 'pending' });
    await this.readWallet().catch(() => undefined);
  }

  /** The answer of a request in progress decides the stage. */
  private get isAsking(): boolean {
    const { at } = this.view.stage;
    return at === 'asking' || at === 'joining';
  }

  /** A win is final: a request that began before the news of it cannot refute it. */
  private get hasWon(): boolean {
    return this.view.stage.at === 'won';
  }

  /**
   * Tells whether a packet in the news was the user's before they came. News and a refresh may
   * overtake each other.
   */
  private get isOld(): boolean {
    const { stage } = this.view;
    return stage.at === 'won' ? stage.win.isOld : !this.cameWithout;
  }

  private async myPacket(): Promise<Schema<'WonPacketDto'> | undefined> {
    const { items } = await this.api.listMyPackets({ activityId: this.activityId });
    return items[0];
  }

  private async shareCodeOf({ id, sponsorId, audience }: Activity): Promise<string | undefined> {
    if (audience?.kind !== 'link') return undefined;
    const { keys, user } = this.session;
    if (keys.shareCode !== undefined || sponsorId !== user) return keys.shareCode;
    return (await this.api.readActivityAudience(id)).shareCode;
  }

  private async readWallet(): Promise<void> {
    this.show({ wallet: await this.api.readMyWallet({ currency: this.currency }) });
  }

  /** Shows why an answer takes longer, and every refusal with its reason. */
  private async guarded(at: 'loading' | 'asking' | 'joining', step: () => Promise<void>): Promise<void> {
    const isLookingAgain = at === 'loading' && this.view.activity !== undefined;
    if (!isLookingAgain) this.stand({ at });
    const onHurdle = (hurdle: Hurdle) => {
      if (this.view.stage.at === at) this.stand({ at, hurdle });
    };
    try {
      await patiently(step, { signal: this.over.signal, onHurdle });
    } catch (error) {
      if (this.over.signal.aborted) return;
      if (error instanceof ApiProblem && error.status === 401) return this.onSignedOut();
      // The stage is unchanged after a failed refresh: the next tap or event brings the next answer.
      if (!isLookingAgain || ['loading', 'refused'].includes(this.view.stage.at)) this.refuse(error);
    }
  }

  private refuse(error: unknown): void {
    if (!(error instanceof ApiProblem)) return this.stand({ at: 'refused' });
    if (error.status === 404) return this.stand({ at: 'unknown' });
    if (error.code === 'waitlist.full') return this.stand({ at: 'sold-out', isFull: true });
    if (error.code === 'waitlist.nothing_to_wait_for') {
      this.stand({ at: 'loading' });
      return void this.refresh();
    }
    if (error.code === 'grab.ticket_required' || error.code === 'grab.ticket_invalid')
      this.session.requestTicket();
    this.stand({ at: 'refused', code: error.code });
  }

  onSignedOut(): void {
    this.stand({ at: 'signed-out' });
    this.session.requestToken();
  }

  private stand(stage: Stage): void {
    clearTimeout(this.timer);
    this.show({ stage });
  }

  private show(change: Partial<View>): void {
    if (this.over.signal.aborted) return;
    this.view = { ...this.view, ...change };
    this.onView(this.view);
  }
}

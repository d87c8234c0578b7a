import {
  type ApiClient,
  ApiProblem,
  type FeedEvent,
  type Hurdle,
  newKey,
  patiently,
  type ProblemCode,
  type Schema,
} from '../../../libs/client';

export type Channel = Schema<'ChannelDto'>;
export type Wallet = Schema<'MyWalletDto'>;
export type Payout = Schema<'PayoutDto'>;
export type Wish = Pick<Schema<'AskForPayoutBody'>, 'amount' | 'channelId'>;

/** Without a code, the answer did not come from the API. */
export interface Refusal {
  readonly code?: ProblemCode;
}

export interface PurseView {
  /** Missing until the player has opened it. */
  readonly channels?: readonly Channel[];
  /** Newest first. */
  readonly payouts?: readonly Payout[];
  readonly isAsking: boolean;
  readonly hurdle?: Hurdle;
  /** The payout that was requested last. */
  readonly asked?: Payout;
  readonly refusal?: Refusal;
  /** A channel waits for the player. */
  readonly needsUser: boolean;
}

export const CLOSED_PURSE: PurseView = { isAsking: false, needsUser: false };

/** Notes about a user, which this tab keeps. */
export interface Notes {
  readonly user: string | undefined;
  recall(name: string): string | undefined;
  remember(name: string, text: string | undefined): void;
}

interface Owner {
  readonly over: AbortSignal;
  show(view: PurseView): void;
  /** Reads the balance, and shows it. */
  onMoved(): Promise<void>;
  onSignedOut(): void;
  /** The currency of the balance; undefined for the default, which channels and requests do not name either. */
  currency(): string | undefined;
}

const SHOWN_MAX = 50;

interface Asked extends Wish {
  readonly user: string | undefined;
  readonly key: string;
}

const ASKED = 'asked';

/** The player's payouts. Nothing is requested before the player opens the wallet: a crowd only plays. */
export class Purse {
  private view = CLOSED_PURSE;

  constructor(
    private readonly api: ApiClient,
    private readonly owner: Owner,
    private readonly notes: Notes,
  ) {}

  open(): Promise<void> {
    return this.guarded(async () => {
      const [{ items }] = await Promise.all([this.api.listPayoutChannels(), this.readPayouts()]);
      this.show({ channels: items.filter((one) => !one.paused && one.currency === this.owner.currency()) });
    });
  }

  /** Reads the current payouts, if the player has opened the purse. */
  async look(): Promise<void> {
    if (this.view.payouts) await this.readPayouts().catch(() => undefined);
  }

  onNews({ event }: FeedEvent): void {
    this.show({ needsUser: event === 'payout.needs-user' });
    void this.look();
  }

  /**
   * Retries until there is an answer, under one key, so that a lost answer never takes money twice.
   * @returns whether the money is on its way
   */
  async withdraw(wish: Wish): Promise<boolean> {
    if (this.view.isAsking) return false;
    const key = this.keyOf(wish);
    this.show({ isAsking: true, asked: undefined });
    let asked: Payout | undefined;
    await this.guarded(async () => {
      asked = await this.ask(wish, key);
    });
    await (this.view.payouts ? this.look() : this.owner.onMoved());
    this.show({ isAsking: false, asked });
    return this.view.asked !== undefined;
  }

  private async ask(wish: Wish, key: string): Promise<Payout> {
    try {
      const body = { ...wish, currency: this.owner.currency() };
      const asked = await this.api.requestPayout(body, { key });
      this.forget();
      return asked;
    } catch (error) {
      if (error instanceof ApiProblem && error.isFinal) this.forget();
      throw error;
    }
  }

  /**
   * A request without a known answer is repeated under its own key, even with a new token or after a reload.
   */
  private keyOf({ amount, channelId }: Wish): string {
    const { user } = this.notes;
    const asked = JSON.parse(this.notes.recall(ASKED) ?? '{}') as Partial<Asked>;
    const isSame = asked.user === user && asked.amount === amount && asked.channelId === channelId;
    const key = (isSame && asked.key) || newKey();
    this.notes.remember(ASKED, JSON.stringify({ user, amount, channelId, key }));
    return key;
  }

  private forget(): void {
    this.notes.remember(ASKED, undefined);
  }

  private async readPayouts(): Promise<void> {
    const { items } = await this.api.listMyPayouts({ limit: SHOWN_MAX });
    // The balance is read and shown before them, so that what a payout gave back is in it.
    await this.owner.onMoved();
    this.show({ payouts: items, needsUser: items.some(({ state }) => state === 'needs-user') });
  }

  private async guarded(step: () => Promise<void>): Promise<void> {
    const signal = this.owner.over;
    this.show({ hurdle: undefined, refusal: undefined });
    try {
      await patiently(step, { signal, onHurdle: (hurdle) => this.show({ hurdle }) });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiProblem)) return this.show({ refusal: {} });
      if (error.status === 401) return this.owner.onSignedOut();
      this.show({ refusal: { code: error.code } });
    } finally {
      this.show({ hurdle: undefined });
    }
  }

  private show(change: Partial<PurseView>): void {
    this.view = { ...this.view, ...change };
    this.owner.show(this.view);
  }
}

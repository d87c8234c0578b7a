import type { ApiClient } from '../../libs/client';
import { claimsConfirmed, type Installation, openActivity, tokenOf, tokensOf } from './api';
import { askAll, expectOutcomes, type Heard, request } from './load';

export interface Rain {
  readonly requests: readonly Buffer[];
  readonly outcomes: Record<string, number>;
  readonly claims?: { readonly activityId: string; readonly count: number };
}

export type Situation = 'all win' | 'all win, known tokens' | '1 % win' | 'sold out' | 'sold out, new tokens';

const WINNER_EVERY = 100;

export const WON = '200 0';
export const ALREADY = '200 1';
export const SOLD_OUT = '200 -1 sold-out';

const TOKEN_HOURS = 24;

/**
 * Makes the activities in which a situation arises. Winners tap for the first time, with tokens
 * that no server has seen; users who get "sold-out" or "already" have tapped before.
 */
export class Rains {
  private rainsMade = 0;

  private constructor(
    private readonly installation: Installation,
    private readonly operator: ApiClient,
    private readonly tokens: readonly string[],
    private readonly drainedActivity: string,
  ) {}

  /** `port` is that of an API that confirms before it answers. */
  static async prepare(
    installation: Installation,
    operator: ApiClient,
    port: number,
    users: number,
  ): Promise<Rains> {
    const tokens = tokensOf('u', users);
    const drained = await openActivity(operator, 1);
    await askAll(port, grabs(drained, [tokenOf('drainer')]), { outcome: WON, count: 1 });
    return new Rains(installation, operator, tokens, drained);
  }

  make(situation: Situation, count = this.tokens.length): Promise<Rain> {
    const tokens = this.tokens.slice(0, count);
    switch (situation) {
      case 'all win':
        return this.allWin(this.unseenTokens(count));
      case 'all win, known tokens':
        return this.allWin(tokens);
      case '1 % win':
        return this.fewWin(this.unseenTokens(count));
      case 'sold out':
        return Promise.resolve(answered(grabs(this.drainedActivity, tokens), SOLD_OUT));
      case 'sold out, new tokens':
        return Promise.resolve(answered(grabs(this.drainedActivity, this.unseenTokens(count)), SOLD_OUT));
    }
  }

  async check({ outcomes, claims }: Rain, heard: readonly Heard[]): Promise<void> {
    expectOutcomes(heard, outcomes);
    if (claims) await claimsConfirmed(this.installation, claims.activityId, claims.count);
  }

  private unseenTokens(count: number): string[] {
    return tokensOf('u', count, TOKEN_HOURS + ++this.rainsMade);
  }

  private async allWin(tokens: readonly string[]): Promise<Rain> {
    const activityId = await openActivity(this.operator, tokens.length);
    const claims = { activityId, count: tokens.length };
    return { ...answered(grabs(activityId, tokens), WON), claims };
  }

  /** Spreads winners over the whole run: in one activity, the first users would be the winners. */
  private async fewWin(tokens: readonly string[]): Promise<Rain> {
    const wins = Math.ceil(tokens.length / WINNER_EVERY);
    const activityId = await openActivity(this.operator, wins);
    const requests = tokens.map((token, i) =>
      grab(i % WINNER_EVERY === 0 ? activityId : this.drainedActivity, token),
    );
    const outcomes = { [WON]: wins, [SOLD_OUT]: tokens.length - wins };
    return { requests, outcomes, claims: { activityId, count: wins } };
  }
}

export const grab = (activityId: string, token: string, keys?: Readonly<Record<string, string>>): Buffer =>
  request('POST', `/v1/activities/${activityId}/grabs`, token, keys);

export const grabs = (activityId: string, tokens: readonly string[]): Buffer[] =>
  tokens.map((token) => grab(activityId, token));

const answered = (requests: readonly Buffer[], outcome: string): Rain => ({
  requests,
  outcomes: { [outcome]: requests.length },
});

/** Requests for a server that does nothing, as large as those for a grab. */
export const noops = (count: number, path = '/noop'): Rain =>
  answered(
    Array.from({ length: count }, () => request('POST', path, NOOP_TOKEN)),
    WON,
  );

const NOOP_TOKEN = tokenOf('u0');

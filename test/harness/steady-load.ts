import { setTimeout as pause } from 'node:timers/promises';
import type { Balancer } from './balancer';
import type { Answer } from './client';
import { waitFor } from './engines';
import { type Installation, planOf } from './installation';

const CLIENTS = 4;
const PACKETS = 8;
/** Time between stories, which leaves room for programs that are starting. */
const BETWEEN_STORIES_MS = 600;

interface Win {
  readonly redPacketId: string;
  readonly amount: string;
}

export interface Tally {
  requests: number;
  readonly failures: string[];
}

/**
 * Clients that repeat one story: a deposit, an activity paid from it, a grab of each packet, a second grab,
 * a grab in a long rain and a readiness check. Any answer other than a success is a failure.
 */
export class SteadyLoad {
  /** Wins by activity and user. */
  readonly wins = new Map<string, Win>();
  readonly done = { deposits: 0, activities: 0 };
  private readonly tallies = new Map<string, Tally>();
  private phase = '';
  private stories = 0;
  private stopping = false;
  private readonly clients: Promise<unknown>;

  /** @param longRain an activity with enough packets for all grabs */
  constructor(
    private readonly rain: Installation,
    private readonly balancer: Balancer,
    private readonly longRain: string,
    phase: string,
  ) {
    this.enter(phase);
    this.clients = Promise.all(Array.from({ length: CLIENTS }, () => this.live()));
  }

  enter(phase: string): void {
    this.phase = phase;
    this.tallies.set(phase, { requests: 0, failures: [] });
  }

  in(phase: string): Tally {
    return this.tallies.get(phase)!;
  }

  /** Resolves when this many more requests have been sent. */
  async waitForMore(requests: number): Promise<void> {
    const tally = this.in(this.phase);
    const until = tally.requests + requests;
    await waitFor(() => tally.requests >= until, { what: `${requests} more requests` });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.clients;
  }

  private async live(): Promise<void> {
    while (!this.stopping) {
      await this.story(++this.stories);
      await pause(BETWEEN_STORIES_MS);
    }
  }

  private async story(number: number): Promise<void> {
    const sponsorId = `sponsor-${number}`;
    const users = Array.from({ length: PACKETS }, (_, i) => `user-${number}-${i}`);
    const deposit = { amount: '8.00' };
    if (await this.asOperator(`/v1/wallets/${sponsorId}/deposits`, deposit)) this.done.deposits += 1;
    const rain = planOf({ sponsorId, totalAmount: '8.00', packetCount: PACKETS });
    const created = await this.asOperator('/v1/activities', rain);
    if (!created) return;
    this.done.activities += 1;
    const { id } = created as { id: string };
    await Promise.all(users.map((user) => this.grab(id, user, '0')));
    await this.grab(id, users[0]!, '1');
    await this.grab(this.longRain, users[0]!, '0');
    await this.ask('is ready', 200, (url) => this.rain.user('nobody', url).get('/health/ready'));
  }

  private asOperator(path: string, body: object): Promise<unknown> {
    return this.ask(path, 201, (url) => this.rain.operator('operator', url).post(path, body));
  }

  /** Code 0 is a new packet; code 1 is the packet that the user already has. */
  private async grab(activityId: string, user: string, code: '0' | '1'): Promise<void> {
    const path = `/v1/activities/${activityId}/grabs`;
    const tally = this.in(this.phase);
    const answer = await this.ask(path, 200, (url) => this.rain.user(user, url).post(path));
    if (!answer) return;
    const { code: heard, redPacketId, amount } = answer as Win & { code: string };
    const known = this.wins.get(`${activityId}/${user}`);
    if (heard !== code || (known ?? { redPacketId }).redPacketId !== redPacketId)
      tally.failures.push(`${user} heard ${JSON.stringify(answer)}`);
    this.wins.set(`${activityId}/${user}`, { redPacketId, amount });
  }

  private async ask(
    what: string,
    expected: number,
    request: (url: string) => Promise<Answer>,
  ): Promise<unknown> {
    const tally = this.in(this.phase);
    tally.requests += 1;
    try {
      const { status, body, text } = await this.balancer.send(request);
      if (status === expected) return body;
      tally.failures.push(`${what} was answered ${status} ${text}`);
    } catch (error) {
      tally.failures.push(`${what} was not answered: ${String((error as Error).cause ?? error)}`);
    }
    return undefined;
  }
}

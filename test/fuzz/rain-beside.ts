import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient } from '../../libs/client';
import type { Role } from '../../libs/roles';
import { openDemoActivity } from '../../src/dev/local/demo-activity';

const PACKETS = 100_000;
const TAP_EVERY_MS = 25;
/** A winner who waits longer is answered 202. */
const ANSWER_WITHIN_MS = 3_000;
const FAULTS_MAX = 5;

type TokenOf = (userId: string, role: Role) => string;

/** A rain in which each tap of a new user is answered as in calm. The fuzzer may close it. */
export class RainBeside {
  private readonly faults: string[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private readonly tapping: Promise<void>;
  private taps = 0;
  private isWanted = true;

  private constructor(
    private readonly grabs: string,
    private readonly tokenOf: TokenOf,
  ) {
    this.tapping = this.goOn();
  }

  static async begin(apiUrl: string, tokenOf: TokenOf): Promise<RainBeside> {
    const operator = new ApiClient(apiUrl, tokenOf('operator', 'operator'));
    const plan = { sponsorId: 'bystander', totalAmount: '10000.00', packetCount: PACKETS };
    const { id } = await openDemoActivity(operator, plan);
    return new RainBeside(`${apiUrl}/v1/activities/${id}/grabs`, tokenOf);
  }

  /** Returns what was wrong with the answers. */
  async end(): Promise<string[]> {
    this.isWanted = false;
    await this.tapping;
    await Promise.all(this.underWay);
    return this.faults;
  }

  private async goOn(): Promise<void> {
    for (; this.isWanted && this.faults.length < FAULTS_MAX; await pause(TAP_EVERY_MS)) {
      const tap: Promise<void> = this.tap(`beside-${this.taps++}`)
        .catch((error: unknown) => void this.faults.push(`a tap beside was not answered: ${String(error)}`))
        .finally(() => this.underWay.delete(tap));
      this.underWay.add(tap);
    }
  }

  private async tap(userId: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.tokenOf(userId, 'user')}` };
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const answer = await fetch(this.grabs, { method: 'POST', headers, signal });
    const body = await answer.text();
    if (answer.status !== 200) this.faults.push(`a tap beside was answered ${answer.status}: ${body}`);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { Currency } from '../../libs/money';
import { packetOf, redPacketId } from '../../libs/red-packet-id';
import type { EngineReader } from './engine-reader';
import type { Operator } from './operator';

const BACK_WITHIN_MS = 120_000;
const BACK_POLL_MS = 200;
const AT_ONCE = 20;
const UPLOADED_AT_ONCE = 10_000;

export interface Winner {
  readonly userId: string;
  readonly redPacketId: string;
}

/** The codes that a round's rains give instead of money, and which winner has seen which. */
export class CodeGifts {
  /** The code of each packet that someone was shown. */
  private readonly shown = new Map<string, string>();
  private readonly faults: string[] = [];

  private constructor(
    readonly currency: Currency,
    /** Every code begins with it, and nothing else contains it. */
    readonly mark: string,
    private readonly poolId: string,
    private readonly codes: ReadonlySet<string>,
    private readonly operator: Operator,
  ) {}

  /** The codes in the sponsor's wallet before any rain. */
  get stockMinor(): bigint {
    return BigInt(this.codes.size);
  }

  static async open(operator: Operator, sponsorId: string, count: number): Promise<CodeGifts> {
    const pool = await operator.post('/v1/code-pools', { name: 'Codes of a round', sponsorId });
    const mark = randomBytes(9).toString('hex');
    const codes = Array.from({ length: count }, (_, i) => `${mark}-${randomBytes(4).toString('hex')}-${i}`);
    for (let from = 0; from < count; from += UPLOADED_AT_ONCE)
      await operator.send('POST', `/v1/code-pools/${pool.id}/codes`, {
        text: codes.slice(from, from + UPLOADED_AT_ONCE).join('\n'),
        headers: { 'content-type': 'text/csv' },
      });
    return new CodeGifts(new Currency(pool.currency, 0), mark, pool.id, new Set(codes), operator);
  }

  get shownCount(): number {
    return new Set(this.shown.values()).size;
  }

  /** Returns a function with which all users who are credited by now look at their codes. */
  async toShow(reader: EngineReader, activityIds: readonly string[]): Promise<() => Promise<void>> {
    const winners = await winnersOf(reader, activityIds);
    return () => this.show(winners);
  }

  /** Each winner looks at their code until there is an answer; one of them also tries someone else's. */
  async show(winners: readonly Winner[]): Promise<void> {
    const queue = winners.values();
    const look = async () => {
      for (const winner of queue) await this.showOne(winner);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, look));
    const [one, ...others] = winners;
    const strange = others.find(({ userId }) => userId !== one!.userId);
    if (one && strange) await this.refuse(one.userId, strange.redPacketId);
  }

  private async showOne({ userId, redPacketId: packet }: Winner): Promise<void> {
    const code = await this.codeOf(userId, packet);
    const before = this.shown.get(packet);
    if (before !== undefined && before !== code) this.faults.push(`${userId} saw another code of ${packet}`);
    if (!this.codes.has(code)) this.faults.push(`${userId} saw a code of ${packet} that nobody uploaded`);
    this.shown.set(packet, code);
  }

  /** A Postgres that was restored from before the win has the packet again once the grab is repeated. */
  private async codeOf(userId: string, packet: string): Promise<string> {
    const winner = this.operator.as(userId);
    const read = () => winner.send('GET', `/v1/me/packets/${packet}/code`);
    const repeatGrab = () => winner.post(`/v1/activities/${packetOf(packet).activityId}/grabs`);
    return (await read().catch(() => repeatGrab().then(read))).code;
  }

  private async refuse(userId: string, packet: string): Promise<void> {
    const answer = await this.operator
      .as(userId)
      .send('GET', `/v1/me/packets/${packet}/code`)
      .catch(() => undefined);
    if (answer) this.faults.push(`${userId} saw the code of ${packet}, which somebody else has won`);
  }

  /** After all rains of the round have ended: unclaimed codes are back in the pool, and shown ones are not. */
  async judge(
    reader: EngineReader,
    activityIds: readonly string[],
    programs: readonly { readonly output: string }[],
  ): Promise<string[]> {
    const winners = await winnersOf(reader, activityIds);
    // Everyone looks: a restored Postgres may have forgotten a showing, and must show the same code again.
    await this.show(winners);
    const wanted = `${this.codes.size - winners.length} free, 0 reserved, ${winners.length} shown, 0 burnt`;
    const counted = await this.counts((counts) => counts === wanted);
    const leaked = programs.some(({ output }) => output.includes(this.mark));
    return [
      ...this.faults,
      ...(new Set(this.shown.values()).size === this.shown.size ? [] : ['two packets gave the same code']),
      ...(counted === wanted ? [] : [`the pool has ${counted} instead of ${wanted}`]),
      ...(leaked ? ['codes appear in a log'] : []),
    ];
  }

  /** @throws Error if this many codes do not become free */
  async untilBack(free: number): Promise<void> {
    const counted = await this.counts((counts) => counts.startsWith(`${free} free,`));
    if (!counted.startsWith(`${free} free,`)) throw new Error(`the pool has ${counted}, not ${free} free`);
  }

  /** Waits, within a limit, for a sweep to return the codes that nobody won. */
  private async counts(areWanted: (counts: string) => boolean): Promise<string> {
    const deadline = performance.now() + BACK_WITHIN_MS;
    for (;;) {
      const pool = await this.operator.send('GET', `/v1/code-pools/${this.poolId}`);
      const counted = `${pool.free} free, ${pool.reserved} reserved, ${pool.shown} shown, ${pool.burnt} burnt`;
      if (areWanted(counted) || performance.now() > deadline) return counted;
      await pause(BACK_POLL_MS);
    }
  }
}

async function winnersOf(reader: EngineReader, activityIds: readonly string[]): Promise<Winner[]> {
  const claims = await Promise.all(
    activityIds.map(async (id) =>
      (await reader.claims(id))
        .filter(({ credits }) => credits > 0)
        .map(({ userId, packetNo }) => ({ userId, redPacketId: redPacketId(id, packetNo) })),
    ),
  );
  return claims.flat();
}

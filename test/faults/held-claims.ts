import type { Chance } from './chance';
import type { EngineReader } from './engine-reader';
import type { Operator } from './operator';

/** Staff who release some of a round's held claims and declare others void. */
export class HeldClaims {
  /** The activity and user of each claim whose release was requested. */
  readonly released = new Set<string>();

  constructor(
    private readonly chance: Chance,
    private readonly operator: Operator,
  ) {}

  /** Decides now which claims to release, and returns a function that does so. */
  async someToRelease(reader: EngineReader, activityIds: readonly string[]): Promise<() => Promise<void>> {
    const some = (await reader.heldLetters(activityIds)).filter(() => this.chance.isTrue(0.5));
    return async () => {
      for (const { activityId, userId } of some) this.released.add(`${activityId} ${userId}`);
      await Promise.all(some.map(({ claimId }) => this.operator.post(`/v1/claims/${claimId}/release`)));
    };
  }

  /** After the close, the money of void claims stays with the sponsor. */
  async declareSomeVoid(reader: EngineReader, activityIds: readonly string[]): Promise<void> {
    const some = (await reader.heldLetters(activityIds)).filter(() => this.chance.isTrue(0.5));
    const reason = 'A robot.';
    await Promise.all(some.map(({ id }) => this.operator.post(`/v1/dead-letters/${id}/void`, { reason })));
  }
}

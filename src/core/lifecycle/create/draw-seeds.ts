import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../../libs/invariant';
import { must } from '../../../../libs/problem';
import { newSeed, seedCommitment, type SponsorWord } from '../../../../libs/split';
import { type Caller, invalidField, unavailable } from '../../../platform/http';

/** The seed and the word from which the packets of a creation are drawn. */
export interface DrawnFrom {
  readonly seed: string;
  /** Without it, the server draws alone. */
  readonly word?: SponsorWord;
}

/**
 * Keeps seeds that this system has committed to, for creations that bring a word of their sponsor.
 *
 * @example
 * constructor(seeds: DrawSeeds) {
 *   seeds.register(this);
 * }
 */
export interface SeedKeeper {
  /**
   * Takes the seed behind a commitment, for this request alone: another one is refused from then on, and the
   * same may take it again, also for a second person who performs it later.
   *
   * @throws Problem if the caller was given no such commitment, or cannot use it any more
   */
  take(tx: EntityManager, caller: Caller, commitment: string, sourceId: string): Promise<string>;
}

/** Where do the seeds of creations come from? They are new, unless the sponsor has asked for one before. */
@Injectable()
export class DrawSeeds {
  private keeper?: SeedKeeper;

  register(keeper: SeedKeeper): void {
    invariant(!this.keeper, 'The keeper of seeds is registered twice.');
    this.keeper = keeper;
  }

  /**
   * @param sourceId of the request
   * @throws Problem `request.invalid` naming the field that is missing, unavailable, the problems of the keeper
   */
  async take(
    tx: EntityManager,
    caller: Caller,
    { commitment, sponsorSeed }: Partial<SponsorWord>,
    sourceId: string | undefined,
  ): Promise<DrawnFrom> {
    if (commitment === undefined && sponsorSeed === undefined) return { seed: newSeed() };
    if (commitment === undefined)
      throw invalidField('commitment', must.beThere('must be there with a sponsorSeed'));
    if (sponsorSeed === undefined)
      throw invalidField('sponsorSeed', must.beThere('must be there with a commitment'));
    if (!this.keeper)
      throw unavailable('This program keeps no seeds. Try again; upgrade it if that does not help.', {
        retryAfterSeconds: 1,
      });
    invariant(sourceId !== undefined, 'A seed is taken for a request.');
    const seed = await this.keeper.take(tx, caller, commitment, sourceId);
    invariant(seedCommitment(seed) === commitment, 'A seed is not what was committed to.');
    return { seed, word: { commitment, sponsorSeed } };
  }
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newSeed, seedCommitment } from '../../../libs/split';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { DrawSeeds, type SeedKeeper } from '../../core/lifecycle';
import type { CommitmentDto } from './commitment.dto';
import { CommitmentRepository } from './commitment.repository';
import { commitmentExpired, commitmentNotFound, commitmentUsed, tooManyCommitments } from './fairness.error';

const VALID_SECONDS = 3_600;

/** The most unused commitments that a user may have at once. */
const USABLE_MAX = 100;

/** Commits to seeds before sponsors reveal theirs, and keeps them until a creation uses them. */
@Injectable()
export class CommitmentService implements SeedKeeper {
  constructor(
    private readonly commitments: CommitmentRepository,
    private readonly idempotency: IdempotencyService,
    seeds: DrawSeeds,
  ) {
    seeds.register(this);
  }

  /** @throws tooManyCommitments */
  create(request: IdempotentRequest): Promise<CommitmentDto> {
    const { userId } = request.caller;
    return this.idempotency.once(request, async (tx) => {
      if ((await this.commitments.lockUsable(tx, userId)) >= USABLE_MAX)
        throw tooManyCommitments(`You have ${USABLE_MAX} that no activity has used; use one first, or wait.`);
      const seed = newSeed();
      const commitment = seedCommitment(seed);
      const kept = { commitment, userId, seed, validSeconds: VALID_SECONDS };
      const { expiresAt } = await this.commitments.insert(tx, kept);
      return { commitment, expiresAt: expiresAt.toISOString() };
    });
  }

  /** @throws commitmentNotFound, commitmentUsed, commitmentExpired */
  async take(tx: EntityManager, { userId }: Caller, commitment: string, sourceId: string): Promise<string> {
    const taking = { commitment, userId, sourceId };
    const seed = await this.commitments.take(tx, taking);
    if (seed !== undefined) return seed;
    const found = await this.commitments.find(tx, taking);
    if (!found) throw commitmentNotFound('`commitment` is not one that you were given in the last hour.');
    if (found.isTaken) throw commitmentUsed('`commitment` was used by another creation; ask for another.');
    throw commitmentExpired('`commitment` has expired; ask for another, and draw another `sponsorSeed`.');
  }
}

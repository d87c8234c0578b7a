import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { DispenserModule } from '../dispenser';
import { Foundation } from './foundation';
import { ProofRepository } from './proof.repository';
import { ReconciliationController } from './reconciliation.controller';
import { ReconciliationService } from './reconciliation.service';
import { RedisAgreement } from './redis-agreement';
import { VerificationService } from './verification.service';

/** The proof of one activity, for those whose money it is. */
@Module({
  imports: [ActivityModule, DispenserModule],
  controllers: [ReconciliationController],
  providers: [ProofRepository, ReconciliationService],
})
export class ReconciliationApiModule {}

/** Every invariant over all data, for `npm run verify`. */
@Module({
  imports: [DispenserModule],
  providers: [Foundation, RedisAgreement, VerificationService],
  exports: [VerificationService],
})
export class VerificationModule {}

import { type DynamicModule, Module } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { DispenserModule } from '../dispenser';
import { OutletModule } from '../outlet';
import { Foundation } from './foundation';
import { Invariants } from './invariants';
import { ProofRepository } from './proof.repository';
import { ProofWatch } from './proof-watch';
import { ReconciliationController } from './reconciliation.controller';
import { ReconciliationService } from './reconciliation.service';
import { RedisAgreement } from './redis-agreement';
import { VerificationService } from './verification.service';

/** The proof of one activity, for its sponsor and staff. */
@Module({
  imports: [ActivityModule, DispenserModule, OutletModule],
  controllers: [ReconciliationController],
  providers: [ProofRepository, ReconciliationService],
  exports: [ReconciliationService],
})
export class ReconciliationApiModule {}

/** The proofs of all activities, a few at a time. */
@Module({ providers: [ProofRepository, ProofWatch] })
export class ReconciliationWorkerModule {}

/** Every invariant over all data, for `npm run verify`. */
@Module({})
export class VerificationModule {
  static forRoot(invariants: Invariants): DynamicModule {
    return {
      module: VerificationModule,
      imports: [DispenserModule],
      providers: [
        { provide: Invariants, useValue: invariants },
        Foundation,
        RedisAgreement,
        VerificationService,
      ],
      exports: [VerificationService],
    };
  }
}

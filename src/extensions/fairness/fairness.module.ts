import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { DrawSeedsModule } from '../../core/lifecycle';
import { SecondPersonModule } from '../../core/second-person';
import { CommitmentController } from './commitment.controller';
import { CommitmentRepository } from './commitment.repository';
import { CommitmentService } from './commitment.service';
import { CommitmentSweep } from './commitment-sweep';
import { FairnessController } from './fairness.controller';
import { FairnessRepository } from './fairness.repository';
import { FairnessService } from './fairness.service';

@Module({
  imports: [ActivityModule, DrawSeedsModule],
  controllers: [CommitmentController, FairnessController],
  providers: [CommitmentRepository, CommitmentService, FairnessRepository, FairnessService],
})
export class FairnessApiModule {}

@Module({ imports: [SecondPersonModule], providers: [CommitmentRepository, CommitmentSweep] })
export class FairnessWorkerModule {}

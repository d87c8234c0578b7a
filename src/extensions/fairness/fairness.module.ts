import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { FairnessController } from './fairness.controller';
import { FairnessRepository } from './fairness.repository';
import { FairnessService } from './fairness.service';

@Module({
  imports: [ActivityModule],
  controllers: [FairnessController],
  providers: [FairnessRepository, FairnessService],
})
export class FairnessApiModule {}

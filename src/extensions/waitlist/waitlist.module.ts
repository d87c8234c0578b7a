import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { DispenserModule } from '../../core/dispenser';
import { GrabModule, PartDrawsModule, TapAdmissionModule } from '../../core/grab';
import { WinnersModule } from '../../core/winners';
import { PartsServing } from './parts-serving';
import { PartsWaiting } from './parts-waiting';
import { WaitlistController } from './waitlist.controller';
import { WaitlistLeader } from './waitlist-leader';
import { WaitlistService } from './waitlist.service';

@Module({
  imports: [ActivityModule, DispenserModule, GrabModule, TapAdmissionModule, WinnersModule],
  controllers: [WaitlistController],
  providers: [PartsWaiting, WaitlistService],
})
export class WaitlistApiModule {}

@Module({
  imports: [DispenserModule, GrabModule, PartDrawsModule],
  providers: [PartsServing, WaitlistLeader],
})
export class WaitlistWorkerModule {}

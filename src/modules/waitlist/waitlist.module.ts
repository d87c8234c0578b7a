import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { DispenserModule } from '../dispenser';
import { GrabModule, PartDrawsModule } from '../grab';
import { TicketApiModule } from '../ticket';
import { PartsServing } from './parts-serving';
import { PartsWaiting } from './parts-waiting';
import { WaitlistController } from './waitlist.controller';
import { WaitlistLeader } from './waitlist-leader';
import { WaitlistService } from './waitlist.service';

@Module({
  imports: [ActivityModule, DispenserModule, GrabModule, TicketApiModule],
  controllers: [WaitlistController],
  providers: [PartsWaiting, WaitlistService],
})
export class WaitlistApiModule {}

@Module({
  imports: [DispenserModule, GrabModule, PartDrawsModule],
  providers: [PartsServing, WaitlistLeader],
})
export class WaitlistWorkerModule {}

import { Module } from '@nestjs/common';
import { DispenserModule, RedisMemory } from '../dispenser';
import { NotificationModule } from '../notification';
import { WalletModule } from '../wallet';
import { AssignmentNews } from './assignment-news';
import { ClaimRepository } from './claim.repository';
import { ConfirmService } from './confirm.service';
import { DrawService } from './draw.service';
import { GrabController } from './grab.controller';
import { GrabService } from './grab.service';
import { Journal } from './journal';
import { JournalBacklog } from './journal-backlog';
import { JournalSweep } from './journal-sweep';
import { WonPacketsController } from './won-packets.controller';
import { WonPacketsService } from './won-packets.service';

/** From a reservation to a claim. */
@Module({
  imports: [DispenserModule, NotificationModule, WalletModule],
  providers: [AssignmentNews, ClaimRepository, ConfirmService, Journal],
  exports: [ClaimRepository, ConfirmService, Journal],
})
export class GrabModule {}

/** What clients may ask. */
@Module({
  imports: [DispenserModule, GrabModule],
  controllers: [GrabController, WonPacketsController],
  providers: [DrawService, GrabService, JournalBacklog, RedisMemory, WonPacketsService],
})
export class GrabApiModule {}

/** What is done behind their backs. */
@Module({ imports: [GrabModule], providers: [JournalSweep] })
export class GrabWorkerModule {}

import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { OutletModule } from '../outlet';
import { WalletModule } from '../wallet';
import { BestLuck } from './best-luck';
import { GrabListService } from './grab-list.service';
import { LargestPackets } from './largest-packets';
import { MarkedPackets } from './packet-marks';
import { BestLuckController, WonPacketsController } from './winners.controller';
import { WonPacketRepository } from './won-packet.repository';
import { WonPacketsService } from './won-packets.service';
import { WonPacketViews } from './won-packet-views';

@Module({
  imports: [OutletModule, WalletModule],
  providers: [MarkedPackets, WonPacketRepository],
  exports: [MarkedPackets, WonPacketRepository],
})
export class WinnersModule {}

/** Answers who has won, and where the money is. */
@Module({
  imports: [ActivityModule, WinnersModule],
  controllers: [BestLuckController, WonPacketsController],
  providers: [BestLuck, GrabListService, LargestPackets, WonPacketsService, WonPacketViews],
})
export class WinnersApiModule {}

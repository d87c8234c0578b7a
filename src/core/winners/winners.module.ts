import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { OutletModule } from '../outlet';
import { WalletModule } from '../wallet';
import { BestLuck } from './best-luck';
import { BestLuckController, WonPacketsController } from './winners.controller';
import { WonPacketRepository } from './won-packet.repository';
import { WonPacketsService } from './won-packets.service';

@Module({
  imports: [OutletModule, WalletModule],
  providers: [WonPacketRepository],
  exports: [WonPacketRepository],
})
export class WinnersModule {}

/** Answers who has won, and what has become of the money. */
@Module({
  imports: [ActivityModule, WinnersModule],
  controllers: [BestLuckController, WonPacketsController],
  providers: [BestLuck, WonPacketsService],
})
export class WinnersApiModule {}

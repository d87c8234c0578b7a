import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { NewsModule } from '../../core/news';
import { WalletModule } from '../../core/wallet';
import { WinnersModule } from '../../core/winners';
import { ReceivedPackets } from './received-packets';
import { ReceivedTotalRepository } from './received-total.repository';
import { ReceivedTotals } from './received-totals';
import { SentController } from './sent.controller';
import { SentRepository } from './sent.repository';
import { SentService } from './sent.service';
import { ThanksController } from './thanks.controller';
import { ThanksRepository } from './thanks.repository';
import { ThanksService } from './thanks.service';

@Module({
  imports: [ActivityModule, NewsModule, WalletModule, WinnersModule],
  controllers: [SentController, ThanksController],
  providers: [
    ReceivedPackets,
    ReceivedTotalRepository,
    ReceivedTotals,
    SentRepository,
    SentService,
    ThanksRepository,
    ThanksService,
  ],
})
export class SenderApiModule {}

import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { SponsorBoundsModule } from '../../core/lifecycle';
import { NewsModule } from '../../core/news';
import { WalletModule } from '../../core/wallet';
import { WinnersModule } from '../../core/winners';
import { DayCountRepository } from './day-count.repository';
import { ReceivedPackets } from './received-packets';
import { ReceivedTotalRepository } from './received-total.repository';
import { ReceivedTotals } from './received-totals';
import { SenderBoundsController } from './sender-bounds.controller';
import { SenderBoundsService } from './sender-bounds.service';
import { SendingBounds } from './sending-bounds';
import { SentController } from './sent.controller';
import { SentRepository } from './sent.repository';
import { SentService } from './sent.service';
import { ThanksController } from './thanks.controller';
import { ThanksRepository } from './thanks.repository';
import { ThanksService } from './thanks.service';

@Module({
  imports: [ActivityModule, NewsModule, SponsorBoundsModule, WalletModule, WinnersModule],
  controllers: [SenderBoundsController, SentController, ThanksController],
  providers: [
    DayCountRepository,
    ReceivedPackets,
    ReceivedTotalRepository,
    ReceivedTotals,
    SenderBoundsService,
    SendingBounds,
    SentRepository,
    SentService,
    ThanksRepository,
    ThanksService,
  ],
})
export class SenderApiModule {}

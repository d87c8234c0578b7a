import { Module } from '@nestjs/common';
import { NewsModule } from '../../core/news';
import { WalletModule } from '../../core/wallet';
import { PlayMoney } from './play-money';
import './rehearsal-field';
import { RehearsalMarks } from './rehearsal-marks';

@Module({ imports: [NewsModule], providers: [RehearsalMarks] })
export class RehearsalWorkerModule {}

@Module({ imports: [RehearsalWorkerModule, WalletModule], providers: [PlayMoney] })
export class RehearsalApiModule {}

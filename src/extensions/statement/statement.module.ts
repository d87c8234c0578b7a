import { Module } from '@nestjs/common';
import { WalletModule } from '../../core/wallet';
import { Issuing } from './issuing';
import { StatementController } from './statement.controller';
import { StatementRepository } from './statement.repository';
import { StatementService } from './statement.service';

@Module({
  imports: [WalletModule],
  controllers: [StatementController],
  providers: [Issuing, StatementRepository, StatementService],
})
export class StatementApiModule {}

import { Global, Module } from '@nestjs/common';
import { AuditModule } from '../audit';
import { Backings } from './backing';
import { Currencies } from './currencies';
import { CurrencyController } from './currency.controller';
import { CurrencyRepository } from './currency.repository';
import { CurrencyService } from './currency.service';

/** Amounts are nearly everywhere, and so are the currencies in which they are written. */
@Global()
@Module({
  providers: [Backings, Currencies, CurrencyRepository],
  exports: [Backings, Currencies, CurrencyRepository],
})
export class CurrencyModule {}

@Module({
  imports: [AuditModule, CurrencyModule],
  controllers: [CurrencyController],
  providers: [CurrencyService],
})
export class CurrencyApiModule {}

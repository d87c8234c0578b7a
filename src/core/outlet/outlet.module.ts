import { Module } from '@nestjs/common';
import { CreditOutlet } from './credit-outlet';

@Module({ providers: [CreditOutlet], exports: [CreditOutlet] })
export class OutletModule {}

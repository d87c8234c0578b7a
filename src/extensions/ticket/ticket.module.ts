import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit';
import { TapAdmissionModule } from '../../core/grab';
import { TicketKeyController } from './ticket-key.controller';
import { TicketKeyRow } from './ticket-key.entity';
import { TicketKeyRepository } from './ticket-key.repository';
import { TicketKeyService } from './ticket-key.service';
import { TicketRule } from './ticket-rule';

@Module({
  imports: [AuditModule, TapAdmissionModule, TypeOrmModule.forFeature([TicketKeyRow])],
  controllers: [TicketKeyController],
  providers: [TicketKeyRepository, TicketKeyService, TicketRule],
})
export class TicketApiModule {}

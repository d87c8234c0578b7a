import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ActivityModule } from '../../core/activity';
import { AuditModule } from '../../core/audit';
import { Admissions } from './admissions';
import { TicketKeyController } from './ticket-key.controller';
import { TicketKeyRow } from './ticket-key.entity';
import { TicketKeyRepository } from './ticket-key.repository';
import { TicketKeyService } from './ticket-key.service';

@Module({
  imports: [ActivityModule, AuditModule, TypeOrmModule.forFeature([TicketKeyRow])],
  controllers: [TicketKeyController],
  providers: [Admissions, TicketKeyRepository, TicketKeyService],
  exports: [Admissions, TicketKeyService],
})
export class TicketApiModule {}

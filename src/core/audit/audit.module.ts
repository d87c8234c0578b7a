import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditController } from './audit.controller';
import { AuditLog } from './audit-log';
import { AuditRow } from './audit.entity';

@Module({ imports: [TypeOrmModule.forFeature([AuditRow])], providers: [AuditLog], exports: [AuditLog] })
export class AuditModule {}

@Module({ imports: [AuditModule], controllers: [AuditController] })
export class AuditApiModule {}

import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller';
import { AuditLog } from './audit-log';

@Module({ providers: [AuditLog], exports: [AuditLog] })
export class AuditModule {}

@Module({ imports: [AuditModule], controllers: [AuditController] })
export class AuditApiModule {}

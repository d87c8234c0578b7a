export { AuditLog } from './audit-log';
export { AuditModule } from './audit.module';

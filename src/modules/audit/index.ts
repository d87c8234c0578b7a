export { AuditLog, type Deed } from './audit-log';
export { AuditModule } from './audit.module';

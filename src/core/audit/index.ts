export { type Actor, AuditLog, type Deed } from './audit-log';
export { AuditApiModule, AuditModule } from './audit.module';
export { auditSchema } from './schema';

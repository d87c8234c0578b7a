export { proveArchive } from './archive-proof';
export { ArchiveRepository } from './archive.repository';
export { runArchive } from './archiving';
export { AuditArchiveRepository } from './audit-archive.repository';

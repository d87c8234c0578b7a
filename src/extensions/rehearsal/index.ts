export { RehearsalReportModule } from './rehearsal.module';
export { RehearsalReports } from './rehearsal-reports';
export type { ReportRow } from './rehearsal-report.repository';

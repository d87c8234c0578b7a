export { ExportApiModule } from './export.module';

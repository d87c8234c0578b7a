import { Module } from '@nestjs/common';
import { ActivityModule } from '../../activity';
import { AdmissionRules } from './admission-rules';
import { Admissions } from './admissions';

/** Decides who may tap, for all ways to tap and for the waiting list. */
@Module({
  imports: [ActivityModule],
  providers: [AdmissionRules, Admissions],
  exports: [AdmissionRules, Admissions],
})
export class TapAdmissionModule {}

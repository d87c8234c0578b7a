import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { AuditModule } from '../../core/audit';
import { TapAdmissionModule } from '../../core/grab';
import { AudienceController } from './audience.controller';
import { AudienceRepository } from './audience.repository';
import { AudienceRule } from './audience-rule';
import { AudienceService } from './audience.service';
import { HiddenActivities } from './hidden-activities';
import { PasswordTries } from './password-tries';

@Module({
  imports: [ActivityModule, AuditModule, TapAdmissionModule],
  controllers: [AudienceController],
  providers: [AudienceRepository, AudienceRule, AudienceService, HiddenActivities, PasswordTries],
})
export class AudienceApiModule {}

import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit';
import { SecondPersonModule } from '../../core/second-person';
import { ErasureController } from './erasure.controller';
import { ErasureRepository } from './erasure.repository';
import { ErasureService } from './erasure.service';
import { ErasureWatch } from './erasure-watch';
import { KeptPeople } from './kept-people';

@Module({
  imports: [AuditModule, SecondPersonModule],
  controllers: [ErasureController],
  providers: [ErasureRepository, ErasureService, KeptPeople],
})
export class ErasureApiModule {}

@Module({ providers: [ErasureRepository, ErasureWatch] })
export class ErasureWorkerModule {}

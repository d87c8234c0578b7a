import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit';
import { WalletModule } from '../../core/wallet';
import { WinnersModule } from '../../core/winners';
import { CodeBacking } from './code-backing';
import { CodePoolController } from './code-pool.controller';
import { CodePoolRepository } from './code-pool.repository';
import { CodePoolService } from './code-pool.service';
import { CodeReturnSweep } from './code-return-sweep';
import { CodeUploadService } from './code-upload.service';
import { PoolKeys } from './pool-keys';
import { WonCodeController } from './won-code.controller';
import { WonCodeRepository } from './won-code.repository';
import { WonCodeService } from './won-code.service';

@Module({
  imports: [AuditModule, WalletModule, WinnersModule],
  controllers: [CodePoolController, WonCodeController],
  providers: [
    CodeBacking,
    CodePoolRepository,
    CodePoolService,
    CodeUploadService,
    PoolKeys,
    WonCodeRepository,
    WonCodeService,
  ],
})
export class CodePoolApiModule {}

/** Needs no key: it returns codes without looking at them. */
@Module({ providers: [CodePoolRepository, CodeReturnSweep] })
export class CodePoolWorkerModule {}

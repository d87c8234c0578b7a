import { Module } from '@nestjs/common';
import { DispenserModule, RedisTrustModule } from '../../dispenser';
import { DrawService } from '../draw/draw.service';
import { PartDraws } from './part-draws';
import { PartLengths } from './part-lengths';

@Module({
  imports: [DispenserModule, RedisTrustModule],
  providers: [DrawService, PartDraws, PartLengths],
  exports: [DrawService, PartDraws, PartLengths],
})
export class PartDrawsModule {}

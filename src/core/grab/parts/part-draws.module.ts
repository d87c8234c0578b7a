import { Module } from '@nestjs/common';
import { DispenserModule, RedisTrustModule } from '../../dispenser';
import { DrawCalls } from '../draw/draw-calls';
import { PartDraws } from './part-draws';
import { PartLengths } from './part-lengths';

@Module({
  imports: [DispenserModule, RedisTrustModule],
  providers: [DrawCalls, PartDraws, PartLengths],
  exports: [DrawCalls, PartDraws, PartLengths],
})
export class PartDrawsModule {}

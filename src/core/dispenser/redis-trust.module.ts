import { Module } from '@nestjs/common';
import { DispenserModule } from './dispenser.module';
import { RedisTrust } from './redis-trust';

@Module({ imports: [DispenserModule], providers: [RedisTrust], exports: [RedisTrust] })
export class RedisTrustModule {}

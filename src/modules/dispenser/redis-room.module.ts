import { Module } from '@nestjs/common';
import { RedisRoom } from './redis-room';

@Module({ providers: [RedisRoom], exports: [RedisRoom] })
export class RedisRoomModule {}

import { Module } from '@nestjs/common';
import { SecondPerson } from './second-person';

@Module({ providers: [SecondPerson], exports: [SecondPerson] })
export class SecondPersonModule {}

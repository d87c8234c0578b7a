import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { must } from '../../../libs/problem';
import { exampleInstant, Is, Omittable } from '../../platform/http';
import { commitmentExpired, commitmentNotFound, commitmentUsed } from './fairness.error';
import { defineSeeds } from '../../core/lifecycle';

const HASH = /^[0-9a-f]{64}$/;
const HEX = { pattern: HASH.source };

const IsHash = (): PropertyDecorator =>
  Is('isHash', (value) => typeof value === 'string' && HASH.test(value), must.beA('hash'));

export class CommitmentDto {
  @ApiProperty({
    ...HEX,
    example: '495b1ccc229f394497de061077104a98c683b096edb3301080a8ef7dcd6c94ae',
    description: 'SHA-256 of a label and the seed that the system has drawn and keeps secret.',
  })
  readonly commitment!: string;

  @ApiProperty({
    format: 'date-time',
    example: exampleInstant(1),
    description: 'A creation has to use it before then.',
  })
  readonly expiresAt!: string;
}

defineSeeds({
  fields: {
    commitment: applyDecorators(
      Omittable({
        ...HEX,
        description:
          'From `POST /v1/commitments`; send it together with `sponsorSeed`. The amounts then follow from ' +
          'two seeds, so neither the system nor the sponsor chose them alone. It can be used once, by the ' +
          'user who asked for it.',
      }),
      IsHash(),
    ),
    sponsorSeed: applyDecorators(
      Omittable({
        ...HEX,
        description: '32 random bytes in hexadecimal digits, drawn after `commitment` was received.',
      }),
      IsHash(),
    ),
  },
  problems: [commitmentNotFound, commitmentUsed, commitmentExpired],
});

import { ApiProperty } from '@nestjs/swagger';

export class LuckDto {
  @ApiProperty({ example: 'a***n', description: 'The user id, but for its ends.' })
  readonly user!: string;

  @ApiProperty({ example: '8.88' })
  readonly amount!: string;

  @ApiProperty({ example: false, description: 'It is the packet of the caller.' })
  readonly isMine!: boolean;
}

export class BestLuckDto {
  @ApiProperty({ type: [LuckDto], description: 'Ten at most, the largest first.' })
  readonly items!: LuckDto[];
}

import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { must } from '../../../../libs/problem';
import { ID_OF_NOTHING, IsList, isObject } from '../../../platform/http';
import { OutcomeBody, OutcomeResultDto } from '../book/outcome.dto';

const OUTCOMES_MAX = 100;

export class OutcomesBody {
  @ApiProperty({ type: [OutcomeBody], maxItems: OUTCOMES_MAX })
  @IsList({
    isItem: isObject,
    fault: must.beA('list', 'must be a list of outcomes'),
    verb: 'name',
    noun: 'payout',
    maximum: OUTCOMES_MAX,
  })
  @ValidateNested({ each: true })
  @Type(() => OutcomeBody)
  readonly outcomes!: OutcomeBody[];
}

export const OUTCOMES_EXAMPLES: Readonly<Record<string, OutcomesBody>> = {
  paid: { outcomes: [{ id: ID_OF_NOTHING, outcome: 'paid', externalId: 'T-2031-0042' }] },
  refused: { outcomes: [{ id: ID_OF_NOTHING, outcome: 'refused', code: 'user-closed' }] },
  'waits for the user': {
    outcomes: [{ id: ID_OF_NOTHING, outcome: 'needs-user', action: 'Confirm the transfer in the app.' }],
  },
};

export class OutcomeResultsDto {
  @ApiProperty({ type: [OutcomeResultDto], description: 'In the order of the outcomes.' })
  readonly results!: OutcomeResultDto[];
}

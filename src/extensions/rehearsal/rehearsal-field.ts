import { ApiPropertyOptional } from '@nestjs/swagger';
import { defineBackingFields } from '../../core/currency';
import { IsFlag, Omittable } from '../../platform/http';

defineBackingFields({
  asked: [
    Omittable({
      example: false,
      default: false,
      description:
        'A rain of the same terms in play money (`XTS`), which needs no deposit and is worth nothing. Only staff may ' +
        'choose it.',
    }),
    IsFlag(),
  ],
  shown: [
    ApiPropertyOptional({
      type: Boolean,
      example: true,
      description: 'True for a rehearsal, whose packets are play money. Left out otherwise.',
    }),
  ],
});

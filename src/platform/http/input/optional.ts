import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';

/** A field that may be left out. Unlike class-validator's `IsOptional`, it refuses null. */
export function Optional(documentation: ApiPropertyOptions): PropertyDecorator {
  const document = ApiPropertyOptional(documentation);
  const check = ValidateIf((_, value) => value !== undefined);
  return (target, property) => {
    document(target, property);
    check(target, property);
  };
}

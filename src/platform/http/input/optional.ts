import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';

/** A field that may be left out. Unlike class-validator's `IsOptional`, it refuses null. */
export const Omittable = (documentation: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional(documentation),
    ValidateIf((_, value) => value !== undefined),
  );

/** A field of a change: leaving it out keeps its value, and null removes it. */
export const Removable = (documentation: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ ...documentation, nullable: true }),
    ValidateIf((_, value) => value !== undefined && value !== null),
  );

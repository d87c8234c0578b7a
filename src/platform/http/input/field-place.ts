import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { must } from '../../../../libs/problem';
import { FIELD_PLACE_MARK } from '../problems/marks';
import { Judged } from './judged';

/**
 * The place of a field among those of bodies and answers. Something that may be missing declares the
 * field there; until then it is unknown: bodies that have it are refused, and the API document lacks it.
 *
 * @example
 * export const discount = new FieldPlace();
 *
 * class OrderBody {
 *   @discount.here()
 *   readonly discount?: object;
 * }
 *
 * discount.declare(Omittable({ type: Discount }), ValidateNested(), Type(() => Discount));
 */
export class FieldPlace {
  private readonly fields: Parameters<PropertyDecorator>[] = [];
  private decorators?: readonly PropertyDecorator[];

  here(): PropertyDecorator {
    return (target, name) => {
      marked('empty')(target, name);
      this.IsDeclared()(target, name);
      this.fields.push([target, name]);
      this.decorateField(target, name);
    };
  }

  declare(...decorators: readonly PropertyDecorator[]): void {
    if (this.decorators) throw new Error('A field is declared twice.');
    this.decorators = [...decorators, marked('taken')];
    this.fields.forEach(([target, name]) => this.decorateField(target, name));
  }

  private decorateField(...[target, name]: Parameters<PropertyDecorator>): void {
    this.decorators?.forEach((decorate) => decorate(target, name));
  }

  private IsDeclared(): PropertyDecorator {
    return Judged('isDeclared', (value) =>
      this.decorators || value === undefined ? undefined : must.beKnown(),
    );
  }
}

const marked = (as: 'empty' | 'taken'): PropertyDecorator =>
  ApiProperty({ [FIELD_PLACE_MARK]: as } as ApiPropertyOptions);

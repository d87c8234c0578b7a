import { Injectable } from '@nestjs/common';
import { type CurrencyDigits, currencyDigits, CurrencyUnsupported } from '../../../libs/money';
import { must } from '../../../libs/problem';
import { isStaff } from '../../../libs/roles';
import { type Caller, IdempotencyService, type IdempotentRequest, invalidField } from '../../platform/http';
import { AuditLog } from '../audit';
import type { CreateCurrencyBody, CurrencyDto, CurrencyListDto } from './currency.dto';
import { Currencies } from './currencies';
import { CurrencyRepository } from './currency.repository';

const POINTS = /^[A-Z][A-Z0-9]{3,11}$/;
const POINTS_DECIMALS_MAX = 2;

/** Codes of pools and of tests. */
const RESERVED = /^(CODE|XTS$)/;

@Injectable()
export class CurrencyService {
  constructor(
    private readonly currencies: Currencies,
    private readonly rows: CurrencyRepository,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  /** @throws Problem `request.invalid` naming a field, currencyExists, tooManyCurrencies */
  create(request: IdempotentRequest, body: CreateCurrencyBody): Promise<CurrencyDto> {
    const { code, kind, name } = body;
    if (RESERVED.test(code))
      throw invalidField('code', must.beA('currency-code', `must not be ${code}, which is reserved`));
    const decimals = kind === 'money' ? moneyDecimals(body) : pointsDecimals(body);
    const dto = { code, kind, decimals, name };
    return this.idempotency.once(request, async (tx) => {
      await this.currencies.add(tx, dto);
      await this.audit.record(tx, request.caller, { action: 'currency.create', id: code, after: dto });
      return dto;
    });
  }

  /** A pool of codes may be a surprise: its name is for staff. */
  async list({ role }: Pick<Caller, 'role'>): Promise<CurrencyListDto> {
    const rows = await this.rows.list();
    const items = rows.map(({ code, kind, decimals, name }) => ({
      ...{ code, kind, decimals },
      name: kind === 'codes' && !isStaff(role) ? code : name,
    }));
    return { items };
  }
}

/** Stored amounts count minor units, so a wrong number of decimals would stay wrong forever. */
function moneyDecimals({ code, decimals }: CreateCurrencyBody): CurrencyDigits {
  const digits = moneyDigits(code);
  if (digits === undefined) throw invalidField('code', must.beA('currency-code'));
  if (decimals !== undefined && decimals !== digits)
    throw invalidField('decimals', must.beOneOf([String(digits)], `must be ${digits}, as in ISO 4217`));
  return digits;
}

function moneyDigits(code: string): CurrencyDigits | undefined {
  try {
    return currencyDigits(code);
  } catch (error) {
    if (error instanceof CurrencyUnsupported) return undefined;
    throw error;
  }
}

function pointsDecimals({ code, decimals = 0 }: CreateCurrencyBody): CurrencyDigits {
  if (!POINTS.test(code)) throw invalidField('code', must.beA('currency-code'));
  if (decimals > POINTS_DECIMALS_MAX) throw invalidField('decimals', must.beAtMost(POINTS_DECIMALS_MAX));
  return decimals;
}

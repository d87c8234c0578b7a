import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Caller } from '../../../platform/http';
import { ActivityRepository, plainTerms, Visibility } from '../../activity';
import { Currencies } from '../../currency';
import { CreditOutlet } from '../../outlet';
import type { TemplateDto } from './template.dto';

interface FirstTerms extends Pick<TemplateDto, 'split' | 'packetCount'> {
  readonly totalMinor: string;
}

@Injectable()
export class Templates {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly outlet: CreditOutlet,
    private readonly currencies: Currencies,
    private readonly visibility: Visibility,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws activityNotFound, as for callers who are neither its sponsor nor staff */
  async readTemplate(activityId: string, caller: Caller): Promise<TemplateDto> {
    const activity = await this.activities.managedBy(caller, activityId);
    const { totalMinor, packetCount, split } = await this.firstTerms(activityId);
    const known = await this.currencies.of(activity.currency);
    const totalAmount = known.format(BigInt(totalMinor));
    const currency = this.currencies.unlessDefault(known);
    const { sponsorId, outletId } = activity;
    const payout = this.outlet.termsOf(outletId) ?? undefined;
    const theme = activity.theme ?? undefined;
    const rehearsal = known.isPlay || undefined;
    const audience = await this.visibility.termsOf(activityId, activity.audience);
    const money = { totalAmount, currency, rehearsal, packetCount, split };
    return { ...plainTerms(activity), sponsorId, ...money, payout, audience, theme };
  }

  private async firstTerms(activityId: string): Promise<FirstTerms> {
    const [terms] = await this.dataSource.query<FirstTerms[]>(
      `select split, total_minor - coalesce(added.minor, 0) as "totalMinor",
              (packet_count - coalesce(added.packets, 0))::int as "packetCount"
         from activity,
              (select sum(amount_minor)::bigint as minor, sum(packet_count) as packets
                 from top_up where activity_id = $1) as added
        where activity.id = $1`,
      [activityId],
    );
    return terms!;
  }
}

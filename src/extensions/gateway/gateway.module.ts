import { Module } from '@nestjs/common';
import { GrabApiModule } from '../../core/grab';
import { NotificationApiModule } from '../notification';
import { FrameService } from './frame.service';
import { Gateway } from './gateway';
import { GatewayController } from './gateway.controller';

@Module({
  imports: [GrabApiModule, NotificationApiModule],
  controllers: [GatewayController],
  providers: [FrameService, Gateway],
})
export class GatewayApiModule {}

import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../../platform/http';
import { runbookPage } from './runbook-page';

const PAGE = runbookPage();

/** Served where Swagger UI is, to operators only. It is not part of the API. */
@ApiExcludeController()
@Controller('docs/runbook')
export class RunbookController {
  @Get()
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  read(): string {
    return PAGE;
  }
}

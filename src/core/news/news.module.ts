import { Module } from '@nestjs/common';
import { NewsListeners } from './news-listeners';

/** Connects the code that publishes news with its listeners, in every program. */
@Module({ providers: [NewsListeners], exports: [NewsListeners] })
export class NewsModule {}

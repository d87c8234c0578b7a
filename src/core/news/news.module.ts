import { Module } from '@nestjs/common';
import { NewsListeners } from './news-listeners';

/** Joins those who cause news with those who listen, in every program. */
@Module({ providers: [NewsListeners], exports: [NewsListeners] })
export class NewsModule {}

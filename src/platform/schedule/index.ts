export { ScheduleModule } from './schedule.module';
export { definedTasks, Repeats } from './task-catalog';

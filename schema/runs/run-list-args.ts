/** The arguments of a list of runs: what people keep runs by, their name, a metric. Contract, "Reading runs". */
import { MAX_RUN_TAGS } from '@hub/formats/text-rules'
import { z } from 'zod'
import { rule } from '../input-field.ts'
import type { ArgFields } from '../root-field.ts'
import { wordEnum } from '../word-enum.ts'

const SortByEnum = wordEnum('RunSortBy', 'Which value of a metric a list of runs is sorted by.', {
  last: 'The last value.',
  best: 'The best one; 422 for a metric whose name does not say which values are better.',
  min: 'The minimum.',
  max: 'The maximum.',
  mean: 'The mean.',
})
const DirectionEnum = wordEnum('SortDirection', 'Sort order of values.', {
  asc: 'Lowest first.',
  desc: 'Highest first.',
})

const text = (most: number) => rule(z.string().max(most))

/** Filters and order; a field of it that is absent changes nothing. */
export function runListArgs(t: ArgFields) {
  return {
    project: t.string({ ...text(128), description: 'Only runs of this project.' }),
    group: t.string({ ...text(128), description: 'Only runs of this group.' }),
    template: t.string({ ...text(128), description: 'Only runs of this template.' }),
    tag: t.stringList({
      ...rule(z.array(z.string().max(64)).max(MAX_RUN_TAGS)),
      description: 'Only runs that have all of these tags.',
    }),
    q: t.string({
      ...text(200),
      description:
        'Only runs with this text in their name, or in template, robot, output repo, project, group or the end of ' +
        'the id. Of one or two letters: a page may be short, even empty, before the last one.',
    }),
    sortMetric: t.string({
      ...text(256),
      description: 'Sorted by this metric, from `summary`, and only runs that have it; newest first without.',
    }),
    sortBy: t.field({ type: SortByEnum, description: 'By which value of the metric; `LAST` by default.' }),
    order: t.field({ type: DirectionEnum, description: 'The better values first by default, otherwise the highest.' }),
  }
}

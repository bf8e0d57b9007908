/** The options by which `hub submit` and `hub runs edit` say what people keep a run by. */
import type { NewRun } from '@hub/client/internal'
import type { Command } from 'commander'
import { collect } from './client-session.ts'

export interface KeptOptions {
  readonly project?: string
  readonly name?: string
  readonly notes?: string
  readonly tag?: readonly string[]
  readonly group?: string
  readonly jobType?: string
}

/** Adds the options to a command. */
export const keptOptions = (command: Command): Command =>
  command
    .option('--project <name>', 'project that the run is part of')
    .option('--name <name>', 'what you call the run')
    .option('--notes <text>', 'notes on the run')
    .option('--tag <tag>', 'tag (repeatable)', (tag: string, before: string[] = []) => collect(tag, before))
    .option('--group <name>', 'group of runs that it belongs to')
    .option('--job-type <name>', 'part that it has in its group')

type Kept = Pick<NewRun, 'project' | 'name' | 'notes' | 'tags' | 'group' | 'job_type'>

/** The members of a request; an empty text, or one empty tag, is null. */
export function keptMembers({ project, name, notes, tag, group, jobType }: KeptOptions): Kept {
  const tags = tag?.filter((one) => one !== '')
  const given = { project, name, notes, tags, group, job_type: jobType }
  return Object.fromEntries(
    Object.entries(given).flatMap(([member, value]) =>
      value === undefined ? [] : [[member, value.length === 0 ? null : value]],
    ),
  )
}

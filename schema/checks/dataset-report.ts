/** What the check of a data set found, as its worker reported it. Contract, "Checks of data sets". */
import type { Document } from '../../src/checks/check-parts.ts'
import { wordEnum } from '../word-enum.ts'
import { documentType } from './document-type.ts'

const SeverityEnum = wordEnum('DatasetFindingSeverity', 'How much a finding matters.', {
  error: 'Training is wrong or impossible.',
  warning: 'A person has to look at it.',
})

const listIn = (document: Document, name: string) => (document[name] ?? []) as Document[]

const FindingType = documentType('DatasetFinding', 'One fault of a data set, at its place.', (t, member) => ({
  code: t.string({ description: 'Its kind: `joint_limit`.', resolve: ({ code }) => String(code) }),
  severity: t.field({
    type: SeverityEnum,
    description: 'How much it matters.',
    resolve: ({ severity }) => severity as 'error',
  }),
  episode: member.count('episode', 'Index of the episode; null where it is about the data set or a file.'),
  frame: member.count('frame', 'Frame of the episode, from 0; null where it is about all of it.'),
  joint: member.text('joint', 'The joint as the data set names it; null where it is about no joint.'),
  place: t.string({ description: 'A path, a column, or a number of a column.', resolve: ({ place }) => String(place) }),
  detail: t.string({
    description: 'What is there, and what should be, in words.',
    resolve: ({ detail }) => String(detail),
  }),
}))

const HistogramType = documentType('DatasetHistogram', 'How often numbers were in bins of one width.', (t, member) => ({
  place: member.text('place', 'The joint of a column that it is of; null for the lengths of episodes.'),
  lower: t.float({ description: 'Where the first bin begins.', resolve: ({ lower }) => Number(lower) }),
  upper: t.float({ description: 'Where the last bin ends.', resolve: ({ upper }) => Number(upper) }),
  counts: t.field({
    type: ['SafeInt'],
    most: 32,
    description: 'Of each bin.',
    resolve: ({ counts }) => (counts as unknown[]).map(Number),
  }),
}))

const TaskType = documentType('DatasetTask', 'How often a data set has a task.', (t) => ({
  task: t.string({ description: 'The task in words.', resolve: ({ task }) => String(task) }),
  episodes: t.field({
    type: 'SafeInt',
    description: 'Episodes of it.',
    resolve: ({ episodes }) => Number(episodes),
  }),
  frames: t.field({ type: 'SafeInt', description: 'Frames of them.', resolve: ({ frames }) => Number(frames) }),
}))

const SummaryType = documentType('DatasetSummary', 'What a data set has, in numbers.', (t) => ({
  lengths: t.field({
    type: HistogramType,
    nullable: true,
    description: 'Frames of its episodes; null without one.',
    resolve: ({ lengths }) => lengths as Document | null,
  }),
  tasks: t.field({
    type: [TaskType],
    most: 20,
    description: 'Its tasks, the most frequent first: 200 at most.',
    resolve: (summary) => listIn(summary, 'tasks'),
  }),
  joints: t.field({
    type: [HistogramType],
    most: 20,
    description: 'Where each joint was over all frames: 128 at most.',
    resolve: (summary) => listIn(summary, 'joints'),
  }),
}))

export const DatasetReportType = documentType(
  'DatasetReport',
  'What is wrong with a data set, where.',
  (t, member) => ({
    layout: member.count(
      'layout',
      '2 or 3; null where `meta/info.json` cannot be read, and nothing else was looked at.',
    ),
    version: member.text('version', 'As `meta/info.json` states.'),
    fps: member.number('fps', 'Frames a second, as `meta/info.json` says.'),
    episodes: t.field({ type: 'SafeInt', description: 'Episodes.', resolve: ({ episodes }) => Number(episodes) }),
    frames: t.field({ type: 'SafeInt', description: 'Frames.', resolve: ({ frames }) => Number(frames) }),
    errors: t.field({
      type: 'SafeInt',
      description: 'Findings that make training wrong or impossible, also those that `findings` leaves out.',
      resolve: ({ errors }) => Number(errors),
    }),
    warnings: t.field({
      type: 'SafeInt',
      description: 'Findings that a person has to look at, also those that `findings` leaves out.',
      resolve: ({ warnings }) => Number(warnings),
    }),
    findings: t.field({
      type: [FindingType],
      most: 100,
      description: 'The first ones of each kind, at most 1000; `counts` has all.',
      resolve: (report) => listIn(report, 'findings'),
    }),
    counts: t.field({
      type: 'JSON',
      description: 'How many findings there are of each kind: an object by `code`.',
      resolve: ({ counts }) => counts,
    }),
    unchecked: t.stringList({
      most: 20,
      description: 'What was not checked, in words.',
      resolve: ({ unchecked }) => unchecked as string[],
    }),
    omitted: t.stringList({
      most: 20,
      description: 'What the report leaves out to stay small, in words; empty where it has all.',
      resolve: ({ omitted }) => omitted as string[],
    }),
    summary: t.field({
      type: SummaryType,
      description: 'Lengths of episodes, tasks, and where the joints were.',
      resolve: ({ summary }) => summary as Document,
    }),
  }),
)

/**
 * Checks a data set of LeRobot or of MCAP files, episode by episode: what is wrong with it, where, and what it has in
 * numbers.
 */
import { type Episode, episodesOfLines, episodesOfTables } from '../episode-list.ts'
import { INFO_PATH } from '../info.ts'
import { mcapPaths } from '../mcap/mcap-paths.ts'
import { type OpenParquet, openParquet } from '../parquet.ts'
import { videoCheck } from './check-videos.ts'
import { coverage, type DatasetSummary } from './coverage.ts'
import { byteFileOf, type DatasetFiles, jsonObject, linesOf, readText } from './dataset-files.ts'
import { type Description, readDescription } from './description.ts'
import { checkEpisode, type Held } from './episode-check.ts'
import { type EpisodeRows, readable, rowsOfSpans } from './episode-rows.ts'
import { type FindingList, findingList } from './finding.ts'
import type { CheckOptions, DatasetReport } from './report.ts'
import { checkColumns } from './table-columns.ts'
import { knownTasks } from './tasks.ts'
import { statsOfLines, statsOfTables, type ToldStats, toldOf } from './told-stats.ts'
import { checkTotals, checkWhole } from './whole.ts'

export type { Finding, FindingCode } from './finding.ts'
export type { JointLimits } from './joints.ts'
export type { CheckOptions, DatasetReport } from './report.ts'

/** Never rejects for what is wrong with the data set; for files that are not answered, or `signal`, it does. */
export async function checkDataset(files: DatasetFiles, options: CheckOptions = {}): Promise<DatasetReport> {
  if (!files.sizes.has(INFO_PATH) && mcapPaths(files.sizes.keys()).length > 0) {
    // Its readers are brought for those who have such files.
    const { checkMcap } = await import('../mcap/check-mcap.ts')
    return checkMcap(files, options)
  }
  const findings = findingList()
  const description = readDescription(await readText(files, INFO_PATH))
  if ('why' in description) {
    findings.add('info', INFO_PATH, description.why)
    return reportOf(null, findings, { episodes: 0, frames: 0 }, [], coverage([]).summary())
  }
  const { info, features, unread } = description
  const listed = await listEpisodes(files, description, findings)
  const tasks = await knownTasks(files, info.layout)
  const held: Held = {
    ...{ description, findings, tasks, limits: options.limits ?? new Map() },
    ...{ stats: listed.stats, coverage: coverage(features), hashes: new Map(), totals: new Map() },
  }
  const videos = videoCheck(files, { fps: info.fps, findings, decoder: options.decoder ?? null })
  const unchecked = unread.map((name) => `${name}: a column of no numbers, or of too many`)
  let [frames, done, read] = [0, 0, 0]
  let nextIndex: number | null = 0
  for await (const { episode, at, rows, why } of rowsOf(files, description, listed.episodes, findings)) {
    options.signal?.throwIfAborted()
    if (why !== null) unchecked.push(why)
    frames += rows?.frames ?? episode.length ?? 0
    if (rows) {
      read += 1
      const clock = await checkEpisode(held, episode, at, rows, nextIndex)
      if (rows.frames > 0) await videos.episode(episode, rows.frames, clock)
    }
    const index = rows?.columns.get('index')?.values.at(-1)
    nextIndex = index === undefined || !Number.isFinite(index) ? (rows?.frames === 0 ? nextIndex : null) : index + 1
    done += 1
    options.onEpisode?.(done, listed.episodes.length)
  }
  checkWhole(
    held,
    toldOf(jsonObject(await readText(files, 'meta/stats.json')), features),
    read === listed.episodes.length,
  )
  checkTotals(description, { episodes: listed.episodes.length, frames, tasks: tasks?.size ?? null }, findings)
  return reportOf(
    description,
    findings,
    { episodes: listed.episodes.length, frames, videos: videos.read(), pictures: videos.pictures() },
    unchecked,
    held.coverage.summary(),
  )
}

function reportOf(
  description: Description | null,
  findings: FindingList,
  { episodes, frames, videos, pictures }: Pick<DatasetReport, 'episodes' | 'frames' | 'videos' | 'pictures'>,
  unchecked: readonly string[],
  summary: DatasetSummary,
): DatasetReport {
  const { layout = null, version = null, fps = null } = description?.info ?? {}
  return {
    ...{ layout, version, fps, episodes, frames, unchecked, summary },
    ...(videos && Object.keys(videos).length > 0 && { videos, ...(pictures && { pictures }) }),
    findings: findings.kept(),
    counts: findings.counts(),
  }
}

interface Listed {
  readonly episodes: readonly Episode[]
  readonly stats: ToldStats
}

async function listEpisodes(files: DatasetFiles, description: Description, findings: FindingList): Promise<Listed> {
  const { info, features } = description
  if (info.layout === 2) {
    const path = 'meta/episodes.jsonl'
    let text = ''
    let lines = 0
    // Tasks and lengths alone: a line of a converted data set may have much more.
    for await (const line of linesOf(files, path)) {
      const one = jsonObject(line)
      if (typeof one?.episode_index !== 'number') continue
      const { episode_index, tasks, length } = one
      if (episode_index !== lines)
        findings.add('episode_index', path, `line ${lines + 1} is of episode ${episode_index}`)
      text += `${JSON.stringify({ episode_index, tasks, length })}\n`
      lines += 1
    }
    const episodes = episodesOfLines(lines === 0 ? info : { ...info, episodes: lines }, text)
    return { episodes, stats: statsOfLines(files, features) }
  }
  const tables: OpenParquet[] = []
  for (const path of [...files.sizes.keys()].filter((one) => /^meta\/episodes\/.*\.parquet$/.test(one)).toSorted()) {
    const table = await openTable(files, path, findings)
    if (table) tables.push(table)
  }
  if (tables.length === 0) findings.add('missing_table', 'meta/episodes', 'no table of the episodes is there')
  const episodes = await episodesOfTables(info, tables)
  for (const [at, { index }] of episodes.entries())
    if (index !== at) findings.add('episode_index', 'meta/episodes', `row ${at} is of episode ${index}`)
  return { episodes, stats: statsOfTables(tables, features) }
}

async function openTable(files: DatasetFiles, path: string, findings: FindingList, episode?: number) {
  const file = byteFileOf(files, path)
  if (!file) return null
  try {
    return await openParquet(file)
  } catch (error) {
    findings.add('broken_table', path, error instanceof Error ? error.message : String(error), { episode })
    return null
  }
}

interface ReadEpisode {
  readonly episode: Episode
  /** Its place in the list. */
  readonly at: number
  /** Null where they were not read. */
  readonly rows: EpisodeRows | null
  /** Why, where that is no finding. */
  readonly why: string | null
}

/** Every episode once, those of a file together. */
async function* rowsOf(
  files: DatasetFiles,
  description: Description,
  episodes: readonly Episode[],
  findings: FindingList,
): AsyncGenerator<ReadEpisode> {
  let at = 0
  while (at < episodes.length) {
    const path = episodes[at]?.dataPath ?? ''
    const inFile: (readonly [Episode, number])[] = []
    for (; at < episodes.length && episodes[at]?.dataPath === path; at += 1) {
      const episode = episodes[at]
      if (episode) inFile.push([episode, at])
    }
    yield* rowsOfFile(files, { description, path, findings }, inFile)
  }
}

async function* rowsOfFile(
  files: DatasetFiles,
  {
    description,
    path,
    findings,
  }: { readonly description: Description; readonly path: string; readonly findings: FindingList },
  inFile: readonly (readonly [Episode, number])[],
): AsyncGenerator<ReadEpisode> {
  const first = inFile[0]?.[0].index ?? 0
  const table = await openTable(files, path, findings, first)
  if (!table) {
    const ofMany = inFile.length > 1 ? `, with ${inFile.length} episodes` : ''
    if (!files.sizes.has(path))
      findings.add('missing_table', path, `the table is not there${ofMany}`, { episode: first })
    for (const [episode, at] of inFile) yield { episode, at, rows: null, why: null }
    return
  }
  const { features } = description
  checkColumns(table, description, { path, episode: first, findings })
  const spans = inFile.map(([episode, at]) => {
    const [start, end] = episode.rows ?? [0, table.rows]
    return { of: { episode, at }, start, end }
  })
  const end = spans.at(-1)?.end ?? 0
  if (end < table.rows)
    findings.add('length', path, `has ${table.rows - end} rows behind its last episode`, {
      episode: inFile.at(-1)?.[0].index,
    })
  const read = readable(table, features)
  const unread = features.filter(({ name }) => table.columns.includes(name) && !read.some((one) => one.name === name))
  const large = unread.length > 0 ? `${path}: too large to be read: ${unread.map(({ name }) => name).join(', ')}` : null
  try {
    for await (const [{ episode, at }, rows] of rowsOfSpans(table, read, spans)) {
      const why = rows ? (episode.index === first ? large : null) : `episode ${episode.index} is too long to be read`
      yield { episode, at, rows, why }
    }
  } catch (error) {
    findings.add('broken_table', path, error instanceof Error ? error.message : String(error), { episode: first })
  }
}

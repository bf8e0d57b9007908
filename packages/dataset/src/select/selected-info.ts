/** `meta/info.json` of a selection: its totals and splits are its own. Pure. */
import type { EpisodesInfo } from '../info.ts'

/** What a selection has. */
export interface SelectedTotals {
  /** The episodes by their numbers in the source, in their new order. */
  readonly episodes: readonly number[]
  readonly frames: number
}

/** The text with what the source said of itself; totals that it did not tell are not told now. Tasks stay all. */
export function selectedInfo(text: string, info: EpisodesInfo, { episodes, frames }: SelectedTotals): string {
  const before: Record<string, unknown> = JSON.parse(text)
  const totals: Readonly<Record<string, number>> = {
    total_episodes: episodes.length,
    total_frames: frames,
    total_chunks: Math.ceil(episodes.length / info.chunkSize),
    total_videos: episodes.length * info.cameras.length,
  }
  const after = { ...before }
  for (const [name, total] of Object.entries(totals)) if (name in before) after[name] = total
  after.total_episodes = episodes.length
  if ('splits' in before) after.splits = splitsOf(before.splits, episodes)
  return `${JSON.stringify(after, null, 4)}\n`
}

/** Splits are ranges of episodes: `{"train": "0:50"}`. Others cannot be carried over: then all are for training. */
function splitsOf(splits: unknown, episodes: readonly number[]): Record<string, string> {
  const below = (bound: string) => episodes.filter((episode) => episode < Number(bound)).length
  const ranges = Object.entries(typeof splits === 'object' && splits !== null ? splits : {}).map(([name, range]) => {
    const bounds = /^(\d+):(\d+)$/.exec(String(range))
    return bounds?.[1] && bounds[2] ? ([name, `${below(bounds[1])}:${below(bounds[2])}`] as const) : null
  })
  const all = { train: `0:${episodes.length}` }
  return ranges.length === 0 || ranges.includes(null) ? all : Object.fromEntries(ranges.filter((one) => one !== null))
}

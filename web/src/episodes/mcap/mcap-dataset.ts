/** A repo of recordings in MCAP: each file is an episode. Loaded for repos that have such files. */
import { type McapEpisode, mcapEpisode } from '@hub/dataset/mcap-episode'
import { type McapFile, openMcap } from '@hub/dataset/open-mcap'
import { byteFile } from '../../files/range-file.ts'
import type { Dataset, DatasetFiles, LoadedEpisode } from '../dataset.ts'
import type { Curves } from '../episode-curves.ts'
import { ACTION, STATE } from '../replay/poses.ts'

/** Recordings whose numbers are kept: the shown one, the one beside it, and the first, which names the joints. */
const MOST_OPEN = 3

interface Opened {
  readonly file: McapFile
  readonly episode: McapEpisode
}

/** `paths`: of the recordings, in their order, with their sizes. Rejects where the first one cannot be read. */
export async function openMcapDataset(
  files: DatasetFiles,
  paths: readonly (readonly [path: string, sizeBytes: number])[],
): Promise<Dataset> {
  let bytes = 0
  const open = new Map<number, Promise<Opened>>()
  const opened = (index: number): Promise<Opened> => {
    const [path, sizeBytes] = paths[index] ?? ['', 0]
    const url = async () => (await files.sign([path]))[0] ?? ''
    const read = async () => {
      const file = await openMcap(
        byteFile({ path, sizeBytes, url }, (more) => {
          bytes += more
        }),
      )
      return { file, episode: await mcapEpisode(file) }
    }
    const known = open.get(index) ?? read()
    open.delete(index)
    open.set(index, known)
    // A file that was not read is asked for again.
    known.catch(() => open.delete(index))
    const [oldest] = open.keys()
    if (oldest !== undefined && open.size > MOST_OPEN) open.delete(oldest)
    return known
  }
  const { curves, fps } = factsOf((await opened(0)).episode)
  return {
    info: { form: 'MCAP', fps, curves, robot: null },
    episodes: paths.map(([path], index) => ({
      ...{ index, tasks: [path], length: null, toldLength: null, dataPath: path, rows: null, videos: [] },
    })),
    bytes: () => bytes,
    load: async ({ index }) => loadedOf(await opened(index)),
  }
}

/** Without two messages there is no rate. */
const USUAL_FPS = 30

function factsOf(episode: McapEpisode) {
  const { seconds } = episode
  const last = seconds.at(-1) ?? 0
  return {
    fps: last > 0 ? (seconds.length - 1) / last : USUAL_FPS,
    curves: curvesOf(episode).features.map(({ name, series }) => ({ name, labels: series.map(({ label }) => label) })),
  }
}

function loadedOf({ file, episode }: Opened): LoadedEpisode {
  const [start] = episode.times
  return {
    curves: curvesOf(episode),
    videos: [],
    missing: [],
    notes: [...episode.taken, ...episode.gaps],
    pictures: episode.pictures.map((topic) => ({
      camera: topic.name,
      at: (time) => file.picture(topic, (start ?? 0n) + BigInt(Math.round(time * 1e9))),
    })),
  }
}

function curvesOf({ seconds, state, action }: McapEpisode): Curves {
  const featureOf = (name: string, labels: readonly string[], values: Float64Array) => ({
    name,
    series: labels.map((label, at) => ({
      label,
      values: Float64Array.from(seconds, (_, row) => values[row * labels.length + at] ?? Number.NaN),
    })),
  })
  const ofState = (name: string, values: Float64Array) =>
    state && values.length > 0 ? [featureOf(name, state.names, values)] : []
  return {
    times: seconds,
    features: [
      ...ofState(STATE, state?.position ?? new Float64Array()),
      ...(action ? [featureOf(ACTION, action.names, action.values)] : []),
      ...ofState('velocity', state?.velocity ?? new Float64Array()),
      ...ofState('effort', state?.effort ?? new Float64Array()),
    ],
  }
}

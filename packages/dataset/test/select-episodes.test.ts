/** Some episodes of a data set as one of their own: a check finds nothing in it, and its rows are those of the source. */
import { describe, expect, it } from 'vitest'
import { checkDataset } from '../src/check/check-dataset.ts'
import { openParquet } from '../src/parquet.ts'
import { type EpisodesRequest, selectEpisodes } from '../src/select/select-episodes.ts'
import { CAMERA, type Fault, filesOf, madeDataset } from './support/made-dataset.ts'

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

async function selected(source: ReadonlyMap<string, Uint8Array>, episodes: readonly number[]) {
  const made = new Map<string, Uint8Array>()
  const sink: EpisodesRequest['sink'] = {
    create(path) {
      if (made.has(path)) throw new Error(`${path} twice`)
      const parts: Uint8Array[] = []
      made.set(path, new Uint8Array())
      const append = async (bytes: Uint8Array) => {
        parts.push(bytes.slice())
      }
      return Promise.resolve({
        append,
        async close() {
          made.set(path, new Uint8Array(Buffer.concat(parts)))
        },
      })
    },
  }
  const result = await selectEpisodes(filesOf(source), { episodes, sink })
  return { made, result }
}

async function rowsOf(files: ReadonlyMap<string, Uint8Array>, columns: readonly string[]) {
  const rows: Record<string, unknown>[] = []
  for (const path of [...files.keys()].filter((one) => one.startsWith('data/')).toSorted()) {
    const { sizes, read } = filesOf(files)
    const table = await openParquet({
      ...{ path, sizeBytes: sizes.get(path) ?? 0, read: (start: number, end: number) => read(path, start, end) },
    })
    rows.push(...(await table.read(columns, 0, table.rows)))
  }
  return rows
}

describe.each([2, 3] as const)('episodes of layout %i', (layout) => {
  const source = madeDataset(layout)

  it.each([[[0]], [[1]], [[2]], [[0, 2]], [[1, 2]], [[0, 1, 2]]])(
    '%j are a data set without a fault',
    async (episodes) => {
      const { made, result } = await selected(source, episodes)
      const report = await checkDataset(filesOf(made))
      const lengths = [40, 60, 30]
      const frames = episodes.reduce((sum, episode) => sum + (lengths[episode] ?? 0), 0)
      expect(report.findings.filter(({ code }) => code !== 'dead_joint')).toEqual([])
      expect(report.findings).toEqual([])
      expect([report.episodes, report.frames, result.episodes, result.frames]).toEqual([
        ...[episodes.length, frames, episodes.length, frames],
      ])
      const own = ['action', 'observation.state', 'timestamp', 'frame_index', 'task_index']
      const wanted = (await rowsOf(source, [...own, 'episode_index'])).flatMap(({ episode_index, ...row }) =>
        episodes.includes(Number(episode_index)) ? [row] : [],
      )
      expect(await rowsOf(made, own)).toEqual(wanted)
      expect((await rowsOf(made, ['index'])).map(({ index }) => index)).toEqual(wanted.map((_, at) => BigInt(at)))
    },
  )

  it('keep the other files, and not those of other episodes', async () => {
    const files = new Map(source)
    for (const path of ['README.md', 'meta/modality.json', 'raw/large.bin']) files.set(path, new Uint8Array([1, 2, 3]))
    const { made } = await selected(files, [2])
    expect(made.get('README.md')).toEqual(new Uint8Array([1, 2, 3]))
    expect([made.has('meta/modality.json'), made.has('raw/large.bin')]).toEqual([true, false])
    const videos = [...made.keys()].filter((path) => path.startsWith('videos/'))
    expect(videos).toEqual([
      layout === 2 ? `videos/chunk-000/${CAMERA}/episode_000000.mp4` : `videos/${CAMERA}/chunk-000/file-001.mp4`,
    ])
    const from = layout === 2 ? `videos/chunk-000/${CAMERA}/episode_000002.mp4` : (videos[0] ?? '')
    expect(made.get(videos[0] ?? '')).toEqual(source.get(from))
  })

  it('are refused where the source is not complete', async () => {
    await expect(selected(source, [3])).rejects.toThrow('The data set has no episode 3.')
    for (const folder of ['data/', 'videos/']) {
      const files = new Map([...source].filter(([path]) => !path.startsWith(folder)))
      await expect(selected(files, [1])).rejects.toThrow(/ is not there\.$/)
    }
    const cut: Fault = { files: (files) => files.set('meta/info.json', new TextEncoder().encode('{}')) }
    await expect(selected(madeDataset(layout, cut), [0])).rejects.toThrow('The layout undefined is not known')
  })

  it('have their own splits', async () => {
    const of = async (splits: unknown) => {
      const { made } = await selected(madeDataset(layout, { info: (info) => Object.assign(info, { splits }) }), [0, 2])
      return JSON.parse(text(made.get('meta/info.json'))).splits
    }
    expect(await of({ train: '0:2', test: '2:3' })).toEqual({ train: '0:1', test: '1:2' })
    expect(await of({ train: '80%' })).toEqual({ train: '0:2' })
  })
})

describe('statistics of a selection', () => {
  const all = async (files: ReadonlyMap<string, Uint8Array>) =>
    JSON.parse(text((await selected(files, [0, 2])).made.get('meta/stats.json')))

  it('of layout 2.0 are those of its rows; of cameras they stay, and that is told', async () => {
    const files = madeDataset(2)
    const before = JSON.parse(text(madeDataset(3).get('meta/stats.json')))
    const camera = { mean: [[[0.25]], [[0.5]], [[0.75]]], std: [[[0]], [[0]], [[0]]], count: [7] }
    files.delete('meta/episodes_stats.jsonl')
    files.set('meta/stats.json', new TextEncoder().encode(JSON.stringify({ ...before, [CAMERA]: camera })))
    const { made, result } = await selected(files, [0, 2])
    expect((await checkDataset(filesOf(made))).findings).toEqual([])
    const stats = JSON.parse(text(made.get('meta/stats.json')))
    expect(stats.index).toMatchObject({ min: [0], max: [69], count: [70] })
    expect([stats[CAMERA], result.keptStats]).toEqual([camera, [CAMERA]])
  })

  it('of cameras are joined from those of the episodes, in their nesting', async () => {
    const of = (mean: number, count: number) => ({
      ...{ mean: [[[mean]]], std: [[[0]]], min: [[[mean]]], max: [[[mean]]], q50: [[[mean]]], count: [count] },
    })
    const files = madeDataset(2, {
      told(episodes) {
        for (const [at, one] of episodes.entries()) Object.assign(one.stats, { [CAMERA]: of(at, at === 0 ? 1 : 3) })
      },
    })
    const before = JSON.parse(text(madeDataset(3).get('meta/stats.json')))
    files.set('meta/stats.json', new TextEncoder().encode(JSON.stringify({ ...before, [CAMERA]: of(9, 9) })))
    const stats = await all(files)
    const spread = Math.sqrt(0.75)
    expect(stats[CAMERA]).toEqual({ ...of(1.5, 4), min: [[[0]]], max: [[[2]]], std: [[[spread]]] })
  })
})

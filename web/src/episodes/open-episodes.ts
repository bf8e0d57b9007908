/** The episodes of a repo, in whichever of the known forms they are. */
import { mcapPaths } from '@hub/dataset/mcap-paths'
import { type Dataset, type DatasetFiles, openDataset } from './dataset.ts'

/** LeRobot's layouts first, else recordings in MCAP; null where the repo has neither. Rejects as their readers do. */
export async function openEpisodes(files: DatasetFiles): Promise<Dataset | null> {
  const dataset = await openDataset(files)
  if (dataset) return dataset
  const sizes = new Map(await files.list(''))
  const paths = mcapPaths(sizes.keys())
  if (paths.length === 0) return null
  const { openMcapDataset } = await import('./mcap/mcap-dataset.ts')
  return openMcapDataset(
    files,
    paths.map((path) => [path, sizes.get(path) ?? 0]),
  )
}

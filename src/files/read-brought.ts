/** What uploads bring in files that the hub itself reads, before the transaction that links them. */
import { BODY_PATHS } from '../repos/bodies/body-of-file.ts'
import type { RepoKind } from '../repos/repo-shape.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import type { AssembledUpload } from './assemble-upload.ts'
import { type Brought, readDescription } from './read-dataset-info.ts'
import { type ReadmeReader, readmeOfUploads } from './read-readme.ts'

/** One read of the store for each such file, each of at most 1 MiB. */
export async function broughtByUploads(
  reader: ReadmeReader,
  objects: ObjectStore,
  kind: RepoKind,
  assembled: readonly AssembledUpload[],
): Promise<Brought> {
  const [found] = BODY_PATHS[kind].flatMap((path) => assembled.find(({ upload }) => upload.path === path) ?? [])
  const file = found ? { ...found.upload, sha256: found.sha256 } : null
  const described = await readDescription(reader, objects, kind, file)
  return { ...described, readme: await readmeOfUploads(reader, objects, assembled) }
}

/** How much is in a folder of a version, and whether it can be downloaded as one archive. */

import { type FolderSum, folderPath, sumOfFolder } from '../../src/files/archive/folder-files.ts'
import { archiveFault } from '../../src/files/archive/open-archive.ts'
import { MAX_ARCHIVE_FILES } from '../../src/files/limits.ts'
import { treePrefix } from '../../src/files/schemas.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { RepoStateType } from './state.ts'

interface Folder extends FolderSum {
  readonly archiveFault: string | null
}

const RepoFolderType = builder.objectRef<Folder>('RepoFolder').implement({
  description: 'How much is in a folder, with all that is below it.',
  fields: (t) => ({
    fileCount: t.exposeInt('count', {
      description: `Files; of a folder below the root that has more than ${MAX_ARCHIVE_FILES}, one more than that.`,
    }),
    totalBytes: t.expose('totalBytes', { type: 'SafeInt', description: 'Bytes of the files that are counted.' }),
    archiveFault: t.exposeString('archiveFault', {
      nullable: true,
      description: 'Why `GET …/archive` refuses the folder as too large; null if it does not.',
    }),
  }),
})

builder.objectField(RepoStateType, 'folder', (t) =>
  t.field({
    type: RepoFolderType,
    work: 1000,
    description: `How much is in a folder. One statement, which reads at most ${MAX_ARCHIVE_FILES + 1} files.`,
    args: {
      path: t.arg.string({
        required: true,
        ...rule(treePrefix),
        description: 'Path of the folder; empty for the root.',
      }),
    },
    resolve: async (state, args, ctx) => {
      const path = folderPath(args.path, ['path'])
      const sum = await sumOfFolder(ctx, state, path)
      return { ...sum, archiveFault: archiveFault(ctx, state, path, sum) }
    },
  }),
)

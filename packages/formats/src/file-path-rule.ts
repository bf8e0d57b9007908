/** FilePath as zod schemas, for requests and cards. Contract, "Text". */
import { newPathFault, pathFault } from '@hub/text/file-path'
import { z } from 'zod'

const pathRule = (faultOf: (path: string) => string | null) =>
  z.string().superRefine((path, context) => {
    const fault = faultOf(path)
    if (fault)
      context.addIssue({
        code: 'custom',
        message: `The path ${shown(path)} ${fault}.`,
        params: { type: 'validation.path' },
      })
  })

/** A FilePath to read or delete. */
export const filePath = pathRule(pathFault)

/** A FilePath to create, in every operation that adds a file to a repo. */
export const newFilePath = pathRule(newPathFault)

/** A path for a message: quoted, escaped, truncated. */
function shown(path: string): string {
  return JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path)
}

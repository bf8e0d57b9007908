/** Lists of what stands in folders, as modules that bundlers read too: a new file needs no line elsewhere. The graph imports them, so they are written before it is loaded. */
import { globSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Files, root } from './files.ts'
import { GENERATED } from './marker.ts'

/** The files of a folder's subjects, in an order that no machine changes. */
const filesOf = (folder: string, pattern: string): string[] =>
  globSync(pattern, { cwd: new URL(`${folder}/`, root) })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()

/** `runs/reading-routes.ts` is `runsReadingRoutes`. */
const nameOf = (file: string): string =>
  `${dirname(file)}-${basename(file, '.ts')}`.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const routeFiles = filesOf('rest-compat', '*/{routes,*-routes}.ts')

export const lists: Files = {
  'schema/types.generated.ts': `${GENERATED} from the folders of schema/. Do not edit. */\n${filesOf('schema', '*/*.ts')
    .map((file) => `import './${file}'\n`)
    .join('')}`,
  'rest-compat/routes.generated.ts': [
    `${GENERATED} from the folders of rest-compat/. Do not edit. */`,
    ...routeFiles.map((file) => `import { routes as ${nameOf(file)} } from './${file}'`),
    `import type { Route } from './engine/route.ts'`,
    '',
    'export const routes: readonly Route[] = [',
    ...routeFiles.map((file) => `  ...${nameOf(file)},`),
    ']\n',
  ].join('\n'),
}

/**
 * Lists of what stands in folders, as modules that bundlers read too: a new file needs no line elsewhere. The graph
 * imports them, so they are written before it is loaded.
 */
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

interface Joined {
  readonly folder: string
  readonly pattern: string
  readonly name: string
  readonly item: string
  readonly engineFile: string
}

/** A module that joins what each of these files of a dialect exports under `name`. */
function joined({ folder, pattern, name, item, engineFile }: Joined): string {
  const files = filesOf(folder, pattern)
  return [
    `${GENERATED} from the folders of ${folder}/. Do not edit. */`,
    ...files.map((file) => `import { ${name} as ${nameOf(file)} } from './${file}'`),
    `import type { ${item} } from './engine/${engineFile}'`,
    '',
    `export const ${name}: readonly ${item}[] = [`,
    ...files.map((file) => `  ...${nameOf(file)},`),
    ']\n',
  ].join('\n')
}

/** The routes and handlers of a dialect. */
const listsOf = (folder: string, route: string, handler: string, handlerFile: string): Files => ({
  [`${folder}/routes.generated.ts`]: joined({
    folder,
    pattern: '*/{routes,*-routes}.ts',
    name: 'routes',
    item: route,
    engineFile: 'route.ts',
  }),
  [`${folder}/handlers.generated.ts`]: joined({
    folder,
    pattern: '*/handlers.ts',
    name: 'handlers',
    item: handler,
    engineFile: handlerFile,
  }),
})

export const lists: Files = {
  'schema/types.generated.ts': `${GENERATED} from the folders of schema/. Do not edit. */\n${filesOf('schema', '*/*.ts')
    .map((file) => `import './${file}'\n`)
    .join('')}`,
  ...listsOf('rest-compat', 'Route', 'HandlerRoute', 'handler-route.ts'),
  ...listsOf('hf-compat', 'HfRoute', 'HfHandler', 'handler.ts'),
}

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

/** A module that joins what each of these files of rest-compat/ exports under `name`. */
function joined(pattern: string, name: string, item: string, engineFile: string): string {
  const files = filesOf('rest-compat', pattern)
  return [
    `${GENERATED} from the folders of rest-compat/. Do not edit. */`,
    ...files.map((file) => `import { ${name} as ${nameOf(file)} } from './${file}'`),
    `import type { ${item} } from './engine/${engineFile}'`,
    '',
    `export const ${name}: readonly ${item}[] = [`,
    ...files.map((file) => `  ...${nameOf(file)},`),
    ']\n',
  ].join('\n')
}

export const lists: Files = {
  'schema/types.generated.ts': `${GENERATED} from the folders of schema/. Do not edit. */\n${filesOf('schema', '*/*.ts')
    .map((file) => `import './${file}'\n`)
    .join('')}`,
  'rest-compat/routes.generated.ts': joined('*/{routes,*-routes}.ts', 'routes', 'Route', 'route.ts'),
  'rest-compat/handlers.generated.ts': joined('*/handlers.ts', 'handlers', 'HandlerRoute', 'handler-route.ts'),
}

/** The browser that draws stills: one that is installed. None is ever fetched. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** A browser, or why there is none. */
export type Chromium = { readonly program: string } | { readonly missing: string }

const names = ['chromium', 'chromium-browser', 'google-chrome']
/** Ends each reason: as Debian names it. */
const INSTALLED = ' (apt install chromium).'

/** `setting`: the value of `HUB_CHROMIUM`, a path or `off`; without it, `searchPath` (`PATH`) is searched. */
export async function findChromium(setting: string | undefined, searchPath: string | undefined): Promise<Chromium> {
  const given = setting?.trim() ?? ''
  if (given === 'off')
    return { missing: `HUB_CHROMIUM is off: unset it, or set it to the path of a Chromium${INSTALLED}` }
  if (given !== '') {
    const isThere = isAbsolute(given) && (await isProgram(given))
    return isThere
      ? { program: given }
      : {
          missing: `HUB_CHROMIUM is ${given}, which is not an absolute path of a program: set it to that of a Chromium${INSTALLED}`,
        }
  }
  const folders = (searchPath ?? '').split(delimiter).filter(isAbsolute)
  for (const name of names)
    for (const folder of folders) {
      const program = join(folder, name)
      if (await isProgram(program)) return { program }
    }
  return { missing: `No ${names.join(', ')} in PATH: set HUB_CHROMIUM to the path of one, or install it${INSTALLED}` }
}

async function isProgram(path: string): Promise<boolean> {
  const isExecutable = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
  return isExecutable && (await stat(path)).isFile()
}

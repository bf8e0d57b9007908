/** Opens a page in the person's browser, with the opener of the platform. */
import { spawn } from 'node:child_process'

const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
}

/** Whether an opener was started; false where there is none. The URL is one argument, never part of a shell command. */
export async function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const [command, ...before] =
    env.BROWSER && !/\s/.test(env.BROWSER) ? [env.BROWSER] : (openers[process.platform] ?? [])
  if (command === undefined || !/^https?:\/\//.test(url)) return false
  return new Promise((resolve) => {
    const opener = spawn(command, [...before, url], { stdio: 'ignore', detached: true })
    opener.once('error', () => resolve(false))
    opener.once('spawn', () => {
      opener.unref()
      resolve(true)
    })
  })
}

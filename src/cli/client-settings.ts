/** Finds the hub URL and the credential of the client commands. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { LocalError } from '../client/index.ts'

type Env = Readonly<Record<string, string | undefined>>

const DEFAULT_URL = 'http://127.0.0.1:4000'

const stored = z.object({ url: z.string().optional(), token: z.string().optional() })

export interface ClientSettings {
  readonly url: string
  readonly token: string | null
  /** Folder of the transfer cache. */
  readonly cacheDir: string
}

/** Options override the environment, which overrides what `hub login` stored. A stored token is sent only to the hub it was stored for. */
export async function clientSettings(
  { env, cwd }: { readonly env: Env; readonly cwd: string },
  options: { readonly url?: string; readonly tokenFile?: string },
): Promise<ClientSettings> {
  const saved = await readStored(env)
  const url = checkedUrl(options.url ?? (env.HUB_URL || undefined) ?? saved.url ?? DEFAULT_URL)
  const fromFile = options.tokenFile === undefined ? undefined : await tokenFrom(resolve(cwd, options.tokenFile))
  const storedToken =
    saved.token !== undefined && checkedUrl(saved.url ?? DEFAULT_URL) === url ? saved.token : undefined
  const cacheHome = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache')
  return {
    url,
    token: fromFile ?? (env.HUB_TOKEN || undefined) ?? storedToken ?? null,
    cacheDir: join(cacheHome, 'hub', 'transfers'),
  }
}

/** Stores URL and token for later commands, readable only by the user. Returns the file. */
export async function storeSettings(
  env: Env,
  settings: { readonly url: string; readonly token: string },
): Promise<string> {
  const file = settingsFile(env)
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
  await writeFile(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
  // The mode above only applies to a new file.
  await chmod(file, 0o600)
  return file
}

function settingsFile(env: Env): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'hub', 'client.json')
}

async function readStored(env: Env): Promise<z.output<typeof stored>> {
  const text = await readFile(settingsFile(env), 'utf8').catch(() => null)
  if (text === null) return {}
  try {
    return stored.parse(JSON.parse(text))
  } catch {
    throw new LocalError(`${settingsFile(env)} is not a valid login file; run \`hub login\` again or delete it.`)
  }
}

async function tokenFrom(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new LocalError(`The token file cannot be read: ${error.message}`)
  })
  const token = text.trim()
  if (token === '' || /\s/.test(token)) throw new LocalError(`${file} must contain exactly one token.`)
  return token
}

function checkedUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new LocalError(`${JSON.stringify(text)} is not an http(s) URL.`)
  if (url.username !== '' || url.password !== '')
    throw new LocalError('The hub URL must not contain a credential; use HUB_TOKEN.')
  return url.href.replace(/\/+$/, '')
}
